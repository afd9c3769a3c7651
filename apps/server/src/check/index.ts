import { inspectConfig } from '../platform/config.ts';
import { connect } from '../platform/db.ts';
import type { Environment } from '../platform/secret-files.ts';
import type { Log } from '../platform/telemetry.ts';
import { checkClock, checkDatabaseClock, clockFindings } from './clock.ts';
import { checkDatabase, databaseFindings } from './database.ts';
import {
  defineFindings,
  reasonOf,
  requirements,
  type CheckContext,
  type Finding,
  type FindingType,
} from './finding.ts';
import { checkKeys, keyFindings } from './keys.ts';
import { checkMail, mailFindings } from './mail.ts';
import { checkModels, modelFindings } from './models.ts';
import { checkPorts, portFindings } from './ports.ts';
import { checkRestate, checkRestateExposure, checkWorker, restateFindings } from './restate.ts';
import { checkSecretFiles, checkSettings, reportProblems, settingFindings } from './settings.ts';
import { checkIssuers, checkSignIn, signInFindings } from './sign-in.ts';
import { checkUrls, urlFindings } from './urls.ts';
import { checkValkey, valkeyFindings } from './valkey.ts';

const { types: ownFindings, report } = defineFindings({
  'check.failed': {
    level: 'error',
    cause: 'A check ended with an error that it does not know. Other checks are not affected.',
    fix: 'Read the message. If it does not help, report it as a bug.',
  },
});

/** By area, for docs/operators/check.md. */
export const findingTypes: Record<string, Record<string, FindingType>> = {
  Settings: settingFindings,
  PostgreSQL: databaseFindings,
  'Master keys': keyFindings,
  Valkey: valkeyFindings,
  Restate: restateFindings,
  URLs: urlFindings,
  'Sign-in': signInFindings,
  Email: mailFindings,
  Models: modelFindings,
  Clocks: clockFindings,
  'Open ports': portFindings,
  Other: ownFindings,
};

type Check = (ctx: CheckContext) => Promise<Finding[]>;

/** Secrets can only be decrypted if the database can be read. */
const checkDatabaseAndKeys: Check = async (ctx) => {
  const findings = await checkDatabase(ctx);
  return findings.some(({ level }) => level === 'error') ? findings : [...findings, ...(await checkKeys(ctx))];
};

/** Restate calls the worker on behalf of its admin API. */
const checkRestateAndWorker: Check = async (ctx) => {
  const findings = await checkRestate(ctx);
  const isAdminDown = findings.some(
    ({ id, settings }) => id !== 'restate.version' && settings.some((name) => name.startsWith('RESTATE_ADMIN')),
  );
  return isAdminDown ? findings : [...findings, ...(await checkWorker(ctx))];
};

/** Cheap, and without calls to other companies or to this deployment itself. */
const startChecks: Check[] = [
  checkSettings,
  checkSignIn,
  checkDatabaseAndKeys,
  checkDatabaseClock,
  checkValkey,
  checkRestate,
  checkPorts,
];

const allChecks: Check[] = [
  checkSettings,
  checkSignIn,
  checkIssuers,
  checkDatabaseAndKeys,
  checkValkey,
  checkRestateAndWorker,
  checkRestateExposure,
  checkMail,
  checkUrls,
  checkClock,
  checkPorts,
  checkModels,
];

const defaults = { now: Date.now, requirements, timeoutMs: 3_000 };

async function run(ctx: CheckContext, checks: readonly Check[]): Promise<Finding[]> {
  const failed = (error: unknown) => [report('check.failed', [], `A check failed: ${reasonOf(error)}.`)];
  return (await Promise.all(checks.map((check) => check(ctx).catch(failed)))).flat();
}

/** Compares the settings with the servers that they name. Changes nothing. */
export async function checkDeployment(
  env: Environment,
  overrides: Partial<Omit<CheckContext, 'config' | 'db'>> = {},
): Promise<Finding[]> {
  const { config, problems } = inspectConfig(env);
  const settings = [...reportProblems(problems), ...checkSecretFiles(env)];
  if (!config) return settings;
  const options = { ...defaults, ...overrides };
  const db = connect(config.DATABASE_URL, { max: 3, connectMs: options.timeoutMs, queryMs: options.timeoutMs });
  try {
    const ctx = { config, db, ...options };
    const unsafe = problems.flatMap((problem) => problem.settings);
    // What else is wrong with an unsafe setting follows from it.
    const others = (await run(ctx, allChecks)).filter(
      (finding) => !finding.settings.some((name) => unsafe.includes(name)),
    );
    return [...settings, ...others];
  } finally {
    await db.destroy();
  }
}

/** In production, once after the start. Never stops a process: what is not safe has been refused before. */
export async function warnAtStart(ctx: Pick<CheckContext, 'config' | 'db'>, log: Pick<Log, 'warn'>): Promise<void> {
  const findings = await run({ ...defaults, ...ctx }, startChecks);
  for (const { id, settings, message, fix } of findings) log.warn({ finding: id, settings }, `${message} ${fix}`);
}
