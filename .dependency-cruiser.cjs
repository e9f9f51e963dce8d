/** Which way imports go: main, app, { rest, http, yoga, areas }, graphql, { access, db }, { errors, lib }. */
const types = { dependencyTypesNot: ['type-only'] }

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: types },
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
      to: { path: '^src/(rest|http|yoga|process)/' },
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
        path: ['^src/(db|graphql|rest|http|yoga|process)/', '^(node:)?(fs|net|http|dns)', '/pg/'],
      },
    },
    {
      name: 'rest-imports-no-area',
      severity: 'error',
      from: { path: '^src/(rest|http|yoga)/' },
      to: { path: '^src/areas/' },
    },
    {
      name: 'graphql-knows-neither-areas-nor-transport',
      severity: 'error',
      from: { path: '^src/graphql/' },
      to: { path: '^src/(areas|rest|http|yoga|process)/' },
    },
    {
      name: 'access-and-db-come-first',
      severity: 'error',
      from: { path: '^src/(access|db)/' },
      to: { path: '^src/(graphql|areas|rest|http|yoga|process)/' },
    },
    {
      name: 'lib-stands-alone',
      severity: 'error',
      from: { path: '^src/(lib/|errors\\.ts)' },
      to: { path: '^src/', pathNot: '^src/lib/' },
    },
    {
      name: 'nothing-imports-tests',
      severity: 'error',
      from: { path: '^(src|prisma)/' },
      to: { path: '^(test|bench)/' },
    },
    {
      name: 'nothing-imports-the-process',
      comment: 'Only main.ts starts it.',
      severity: 'error',
      from: { path: '^(src|prisma)/', pathNot: ['^src/entry\\.js$', '^src/main\\.ts$', '^src/process/'] },
      to: { path: '^src/(main\\.ts|process/)' },
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules', '^src/db/generated/'] },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    exclude: { path: '^node_modules/.*\\.d\\.ts$' },
  },
}
