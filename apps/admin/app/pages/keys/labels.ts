import type { Schemas } from '@parley/portal-kit/service';

export type Rotation = Schemas['KeyRotation'];
export type SigningKey = Schemas['SigningKey'];
export type MasterKey = Schemas['MasterKey'];

export const pluralize = (n: number, one: string, many: string) =>
  `${n.toLocaleString('en-GB')} ${n === 1 ? one : many}`;

const secrets = (n: number) => pluralize(n, 'secret', 'secrets');

/** Time left at the current rate. */
export function timeLeft({ startedAt, secrets: { done, total } }: Rotation, now: number): string {
  const seconds = ((now - Date.parse(startedAt)) / 1_000 / Math.max(done, 1)) * (total - done);
  if (done === 0 || total === 0) return '';
  if (seconds < 5) return 'a few seconds left';
  if (seconds < 90) return `about ${Math.round(seconds)} seconds left`;
  if (seconds < 5_400) return `about ${Math.round(seconds / 60)} minutes left`;
  return `about ${Math.round(seconds / 3_600)} hours left`;
}

/** The progress or result of a rotation. */
export function describeRotation(rotation: Rotation, now: number): string {
  const { status, secrets: n, tenants, failures } = rotation;
  const encrypted = `${n.done.toLocaleString('en-GB')} of ${secrets(n.total)} re-encrypted`;
  if (status === 'counting')
    return `Counting secrets: ${secrets(n.total)} in ${pluralize(tenants.total, 'tenant', 'tenants')} so far.`;
  if (status === 'encrypting') {
    const left = timeLeft(rotation, now);
    return `${encrypted}, ${tenants.done.toLocaleString('en-GB')} of ${pluralize(tenants.total, 'tenant', 'tenants')}${left && `; ${left}`}.`;
  }
  if (status === 'waiting') return `${encrypted}. Waiting a few seconds for reads in progress to finish.`;
  if (status === 'removing') return `${encrypted}. Removing the old data keys.`;
  if (status === 'cancelled') return `Cancelled. ${encrypted}. All secrets still work.`;
  if (failures > 0)
    return `Finished. ${encrypted}. ${secrets(failures)} couldn’t be decrypted and kept the old key. The tenants concerned must enter them again.`;
  return `Finished. All ${secrets(n.total)} in ${pluralize(tenants.total, 'tenant', 'tenants')} are encrypted with '${rotation.masterKeyId}', and the old data keys have been deleted.`;
}

export const percentOf = ({ status, secrets: { done, total } }: Rotation) =>
  status === 'counting' ? 0 : total === 0 ? 100 : Math.min(100, Math.floor((done / total) * 100));
