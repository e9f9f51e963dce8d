/** Which way imports go: main, process, app, { rest, graphql, http }, areas, schema, gateway, access, db, { errors, lib }. */
const types = { dependencyTypesNot: ['type-only'] }

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'Imports of types count too.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'areas-are-islands',
      comment: 'An area reaches another only through its index.ts.',
      severity: 'error',
      from: { path: '^src/areas/([^/]+)/' },
      to: { path: '^src/areas/[^/]+/', pathNot: ['^src/areas/$1/', '^src/areas/[^/]+/index\\.ts$'] },
    },
    {
      name: 'areas-know-no-transport',
      severity: 'error',
      from: { path: '^src/areas/' },
      to: { path: '^src/(rest|http|graphql|process|commands|demo)/' },
    },
    {
      name: 'areas-reach-data-through-db',
      comment: 'What is not narrowed to the caller is not for areas.',
      severity: 'error',
      from: { path: '^src/areas/' },
      to: { path: '^src/db/(database|driver|embedded|postgresql|generated)', ...types },
    },
    {
      name: 'rules-are-pure',
      comment: 'Rules import no I/O, and nothing that imports any.',
      severity: 'error',
      from: { path: '^src/areas/[^/]+/rules\\.ts$' },
      to: {
        reachable: true,
        path: ['^src/(db|gateway|schema|graphql|rest|http|process)/', '^(node:)?(fs|net|http|dns)', '/pg/'],
      },
    },
    {
      name: 'rest-imports-no-area',
      severity: 'error',
      from: { path: '^src/(rest|http|graphql)/' },
      to: { path: '^src/areas/' },
    },
    {
      name: 'schema-and-gateway-know-neither-areas-nor-transport',
      severity: 'error',
      from: { path: '^src/(schema|gateway)/' },
      to: { path: '^src/(areas|rest|http|graphql|process)/' },
    },
    {
      name: 'access-and-db-come-first',
      severity: 'error',
      from: { path: '^src/(access|db)/' },
      to: { path: '^src/(gateway|schema|areas|rest|http|graphql|process)/' },
    },
    {
      name: 'lib-stands-alone',
      severity: 'error',
      from: { path: '^src/(lib/|errors\\.ts)' },
      to: { path: '^src/', pathNot: '^src/lib/' },
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
      from: { path: '^src/', pathNot: ['^src/entry\\.js$', '^src/main\\.ts$', '^src/(process|commands)/'] },
      to: { path: '^src/(main\\.ts|process/|commands/)' },
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules', '^src/db/generated/'] },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    exclude: { path: '^node_modules/.*\\.d\\.ts$' },
  },
}
