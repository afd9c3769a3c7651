// `parley-server migrate` with the files of the next release: those in MIGRATIONS_DIR come after the product's own.
import { migrate } from '../../src/migrate.ts';
import { readMigrations } from '../../src/migration-files.ts';
import { connect } from '../../src/platform/db.ts';

const db = connect(process.env['DATABASE_URL'] ?? '', { max: 2, connectMs: 30_000, queryMs: 6 * 3_600_000 });
const files = [...(await readMigrations()), ...(await readMigrations(process.env['MIGRATIONS_DIR']))];
await migrate(db, { files, report: console.log });
await db.destroy();
