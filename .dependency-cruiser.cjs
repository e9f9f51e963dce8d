/** The rooms, from the process down to pure helpers: a file imports from its own room and from those after it. */
const LAYERS = [
  '^src/((entry|installed)\\.js|main\\.ts)$',
  '^src/(process|commands|demo)/',
  '^src/composition/',
  '^src/(rest|graphql)/',
  '^src/http/',
  '^src/areas/',
  '^src/schema/',
  '^src/tools/',
  '^src/(gateway|jobs)/',
  '^src/config\\.ts$',
  '^src/access/',
  '^src/connectors/',
  '^src/db/',
  '^src/errors/',
  '^src/lib/',
]

const arrow = (from, place) => ({
  name: `imports-go-one-way-${place}`,
  severity: 'error',
  from: { path: from },
  to: { path: LAYERS.slice(0, place) },
})

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...LAYERS.map(arrow).slice(1),
    {
      name: 'no-cycles',
      comment: 'Imports of types count too.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'rooms-are-a-tree',
      comment: 'No two folders import each other, directly or around: areas neither.',
      severity: 'error',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
    {
      name: 'interfaces-know-no-area',
      comment: 'REST and GraphQL are views of the schema, and neither knows the other.',
      severity: 'error',
      from: { path: '^src/(rest|graphql)/' },
      to: { path: ['^src/areas/', '^src/(rest|graphql)/'], pathNot: '^src/$1/' },
    },
    {
      name: 'http-knows-bytes-and-sockets',
      comment: 'No operation and no viewer.',
      severity: 'error',
      from: { path: '^src/http/' },
      to: { path: '^src/', pathNot: '^src/(http|lib|errors)/' },
    },
    {
      name: 'gateway-knows-no-sockets',
      severity: 'error',
      from: { path: '^src/(gateway|access|schema)/' },
      to: { path: '^(node:)?(http|net)$' },
    },
    {
      name: 'areas-are-islands',
      comment: 'An area reaches another only through its index.ts.',
      severity: 'error',
      from: { path: '^src/areas/([^/]+)/' },
      to: { path: '^src/areas/[^/]+/', pathNot: ['^src/areas/$1/', '^src/areas/[^/]+/index\\.ts$'] },
    },
    {
      name: 'areas-reach-data-through-db',
      comment: 'Areas get the database narrowed to the caller.',
      severity: 'error',
      from: { path: '^src/areas/' },
      to: {
        path: '^src/db/(database|driver|embedded|postgresql|generated)',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'ports-not-adapters',
      comment: 'Adapters are chosen where the service is composed. Everything else knows the port.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(composition|connectors)/' },
      to: { path: '^src/connectors/', pathNot: '^src/connectors/[a-z]+\\.ts$' },
    },
    {
      name: 'adapters-know-their-port',
      comment: 'An adapter imports nothing of another one. http/ is the client of those that call vendors.',
      severity: 'error',
      from: { path: '^src/connectors/([^/]+)/' },
      to: {
        path: '^src/connectors/',
        pathNot: ['^src/connectors/($1|http)/', '^src/connectors/[a-z]+\\.ts$'],
      },
    },
    {
      name: 'rules-are-pure',
      comment: 'Rules import no I/O, and nothing that imports any.',
      severity: 'error',
      from: { path: '^src/areas/.+/rules(\\.ts$|/)' },
      to: {
        reachable: true,
        path: ['^src/(db|gateway|schema|graphql|rest|http|process)/', '^(node:)?(fs|net|http|dns)', '/pg/'],
      },
    },
    {
      name: 'src-stands-alone',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(test|bench|prisma)/' },
    },
    {
      name: 'nothing-imports-the-process',
      comment: 'Only main.ts starts it; commands are processes of their own.',
      severity: 'error',
      from: { path: '^src/demo/' },
      to: { path: '^src/(process|commands)/' },
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules', '^src/db/generated/'] },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    exclude: { path: '^node_modules/.*\\.d\\.ts$' },
  },
}
