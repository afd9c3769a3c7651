// `node /app/portals.js portal`, or `admin`: one image has both portals, because they share their packages.
const name = process.argv[2];
if (name !== 'portal' && name !== 'admin') {
  console.error('Which portal? Use `portal` or `admin`.');
  process.exit(2);
}
await import(`./${name}/src/server.js`);
