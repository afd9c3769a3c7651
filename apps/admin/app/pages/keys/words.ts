import type { Schemas } from '@parley/portal-kit/service';

export type Rotation = Schemas['KeyRotation'];
export type SigningKey = Schemas['SigningKey'];
export type MasterKey = Schemas['MasterKey'];

export const counted = (n: number, one: string, many: string) => `${n.toLocaleString('en-GB')} ${n === 1 ? one : many}`;

const secrets = (n: number) => counted(n, 'secret', 'secrets');

/** How long it will take by the pace of so far, in words. */
export function timeLeft({ startedAt, secrets: { done, total } }: Rotation, now: number): string {
  const seconds = ((now - Date.parse(startedAt)) / 1_000 / Math.max(done, 1)) * (total - done);
  if (done === 0 || total === 0) return '';
  if (seconds < 5) return 'a few seconds left';
  if (seconds < 90) return `about ${Math.round(seconds)} seconds left`;
  if (seconds < 5_400) return `about ${Math.round(seconds / 60)} minutes left`;
  return `about ${Math.round(seconds / 3_600)} hours left`;
}

/** Where a rotation is, or how it ended, in a sentence. */
export function sentenceOf(rotation: Rotation, now: number): string {
  const { status, secrets: n, tenants, failures } = rotation;
  const sealed = `${n.done.toLocaleString('en-GB')} of ${secrets(n.total)} sealed anew`;
  if (status === 'counting')
    return `Counting what there is: ${secrets(n.total)} of ${counted(tenants.total, 'tenant', 'tenants')} so far.`;
  if (status === 'sealing') {
    const left = timeLeft(rotation, now);
    return `${sealed}, ${tenants.done.toLocaleString('en-GB')} of ${counted(tenants.total, 'tenant', 'tenants')}${left && `; ${left}`}.`;
  }
  if (status === 'waiting') return `${sealed}. Waiting for those who still read what was sealed before: some seconds.`;
  if (status === 'removing') return `${sealed}. Removing the old data keys.`;
  if (status === 'cancelled') return `Cancelled. ${sealed} by then; every secret opens.`;
  if (failures > 0)
    return `Finished. ${sealed}; ${secrets(failures)} did not open, and kept the key that sealed them. Their tenants must set them again.`;
  return `Finished. All ${secrets(n.total)} of ${counted(tenants.total, 'tenant', 'tenants')} are sealed by '${rotation.masterKeyId}', and the old data keys are gone.`;
}

export const percentOf = ({ status, secrets: { done, total } }: Rotation) =>
  status === 'counting' ? 0 : total === 0 ? 100 : Math.min(100, Math.floor((done / total) * 100));
