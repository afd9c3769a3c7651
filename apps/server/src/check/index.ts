import { inspectConfig } from '../platform/config.ts';
import { connect } from '../platform/db.ts';
import { egressPolicy } from '../platform/egress-settings.ts';
import { createSafeFetch } from '../platform/safe-fetch.ts';
import type { Environment } from '../platform/secret-files.ts';
import { checkClock, clockFindings } from './clock.ts';
import { checkDatabase, databaseFindings } from './database.ts';
import type { CheckContext, Finding, FindingType } from './finding.ts';
import { checkKeys, keyFindings } from './keys.ts';
import { checkMail, mailFindings } from './mail.ts';
import { checkModels, modelFindings } from './models.ts';
import { checkPorts, portFindings } from './ports.ts';
import { checkRestate, checkRestateExposure, checkWorker, restateFindings } from './restate.ts';
import { defaults, run, runFindings, type Check } from './run.ts';
import { checkSecretFiles, checkSettings, reportProblems, settingFindings } from './settings.ts';
import { checkIssuers, checkSignIn, signInFindings } from './sign-in.ts';
import { checkUrls, urlFindings } from './urls.ts';
import { checkValkey, valkeyFindings } from './valkey.ts';

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
  Other: runFindings,
};

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

/** Compares the settings with the servers that they name. Changes nothing. */
export async function checkDeployment(
  env: Environment,
  overrides: Partial<Omit<CheckContext, 'config' | 'db' | 'fetch'>> = {},
): Promise<Finding[]> {
  const { config, problems } = inspectConfig(env);
  const settings = [...reportProblems(problems), ...checkSecretFiles(env)];
  if (!config) return settings;
  const options = { ...defaults, ...overrides };
  const db = connect(config.DATABASE_URL, { max: 3, connectMs: options.timeoutMs, queryMs: options.timeoutMs });
  const { dnsServers } = options;
  const policy = { ...egressPolicy(config, config.EGRESS_OPEN_HOSTS), ...(dnsServers && { dnsServers }) };
  const fetch = createSafeFetch(policy);
  try {
    const ctx = { config, db, fetch, ...options };
    const unsafe = problems.flatMap((problem) => problem.settings);
    // What else is wrong with an unsafe setting follows from it.
    const others = (await run(ctx, allChecks)).filter(
      (finding) => !finding.settings.some((name) => unsafe.includes(name)),
    );
    return [...settings, ...others];
  } finally {
    await Promise.all([db.destroy(), fetch.close()]);
  }
}
