/** Every area of the API. */
import './settings/schema.ts'
