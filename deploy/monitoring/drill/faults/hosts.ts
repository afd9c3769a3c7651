import { join } from 'node:path';
import { globSync } from 'node:fs';
import { programsOf } from '../programs.ts';
import type { Fault } from '../fault.ts';
import { burns } from './burns.ts';

// Disks, certificates and clocks.

const needsDisk: Fault['lacks'] = ({ disk }) => (disk ? undefined : 'the right to mount a file system');

const filled =
  (free: number): Fault['start'] =>
  ({ disk }) => {
    disk?.fillUntil(free);
    return () => disk?.empty();
  };

/** The worker reads certificates once an hour, and when it starts. */
const withCertificateOf =
  (days: number): Fault['start'] =>
  async ({ front, processes: { worker } }) => {
    await front.install(days);
    await worker.restart();
    return async () => {
      await front.install(90);
      await worker.restart();
    };
  };

/** Debian's library that shifts the clock of one process. */
function fakeTime(): string {
  const [library] = globSync(join(programsOf('libfaketime'), '../lib/*/faketime/libfaketimeMT.so.1'));
  if (library === undefined) throw new Error('libfaketime has no library');
  return library;
}

export const hosts: readonly Fault[] = [
  {
    name: 'disk-nearly-full',
    cause: 'A file system filled until 10 % are free',
    fires: ['ParleyDiskNearlyFull warning'],
    consequences: ['ParleyDiskFull critical'],
    limitSeconds: 180,
    lacks: needsDisk,
    start: filled(0.1),
  },
  {
    name: 'disk-full',
    cause: 'A file system filled until 2 % are free',
    fires: ['ParleyDiskFull critical'],
    consequences: ['ParleyDiskNearlyFull warning'],
    lacks: needsDisk,
    start: filled(0.02),
  },
  {
    name: 'certificate-expires-now',
    cause: 'The certificate at `ADMIN_URL` is valid for two more days; worker started again, as it looks once an hour',
    fires: ['ParleyCertificateExpiresNow critical'],
    limitSeconds: 180,
    start: withCertificateOf(2),
  },
  {
    name: 'certificate-expires-soon',
    cause: 'The certificate at `ADMIN_URL` is valid for ten more days; worker started again',
    fires: ['ParleyCertificateExpiresSoon warning'],
    isSlow: true,
    limitSeconds: 600,
    start: withCertificateOf(10),
  },
  {
    name: 'clock-skew',
    cause: 'The worker’s clock is 10 s ahead (libfaketime)',
    fires: ['ParleyClockSkew warning'],
    // Messages seem to have waited for 10 s, and the worker is started twice.
    consequences: [...burns('FirstToken', 'Webhook'), 'ParleyProcessRestarting critical'],
    start: async ({ processes: { worker } }) => {
      await worker.restart({ LD_PRELOAD: fakeTime(), FAKETIME: '+10s', FAKETIME_DONT_FAKE_MONOTONIC: '1' });
      return worker.restart;
    },
  },
];
