// `node /app/portals.js portal`, or `admin`: one image has both portals, because they share their packages.
const portal = process.argv[2] ?? '';
if (!['portal', 'admin'].includes(portal)) {
  console.error('Which portal? Use `portal` or `admin`.');
  process.exit(2);
}
await import(`./${portal}/src/server.js`);
