/**
 * The steps of the drill, in its order. A code block of the self-hosting pages with `drill=NAME` is the command of that
 * step: the drill runs what readers see. A test compares these names with the pages.
 */
export const steps = [
  'unpack',
  'setup',
  'internal-ca',
  'ps',
  'check',
  'proxy-log',
  'logs',
  'audit',
  'apply-settings',
  'apply-secrets',
  'vectors',
  'backup',
  'load-next',
  'upgrade',
  'rollback',
  'restore',
  'stop',
  'uninstall',
] as const;
export type Step = (typeof steps)[number];
