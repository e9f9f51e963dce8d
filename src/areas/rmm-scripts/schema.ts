import './runs/operations.ts'
import './runs/start-and-cancel.ts'
import './catalogue/schema.ts'
import './devices/schema.ts'
