// The real mailer, with a writer that blocks on a lock that a test can hold.
import { sql } from 'kysely';
import { pino } from 'pino';
import { openKeyring } from '../../src/platform/crypto.ts';
import { connect } from '../../src/platform/db.ts';
import { startMailer } from '../../src/platform/mailer.ts';

const setting = (name: string) => process.env[name] ?? '';
const log = pino();
const services = {
  db: connect(setting('DATABASE_URL'), { max: 12 }),
  keyring: openKeyring(setting('MASTER_KEYS')),
  wakeRelay: () => {},
  notify: () => {},
};
startMailer({
  services,
  log,
  smtpUrl: setting('SMTP_URL'),
  from: 'Parley <no-reply@parley.example>',
  everyMs: 20,
  leaseSeconds: Number(setting('LEASE_SECONDS')),
  renderers: {
    note: async () => {
      await services.db.transaction().execute((tx) => sql`select pg_advisory_xact_lock_shared(1)`.execute(tx));
      return { subject: 'A note', text: 'x', html: '<p>x</p>' };
    },
  },
});
log.info('mailer ready');
