import { Progress, Text } from '@mantine/core';
import { sizeOf } from './source-labels.ts';

/** Storage used out of the plan's limit per bot. */
export function StorageUsed({ usedBytes, limitBytes }: { usedBytes: number; limitBytes: number }) {
  const share = limitBytes > 0 ? Math.min(100, (usedBytes / limitBytes) * 100) : 100;
  const isFull = usedBytes >= limitBytes;
  return (
    <div>
      <Text size="sm" {...(!isFull && { c: 'dimmed' })}>
        {sizeOf(usedBytes)} of {sizeOf(limitBytes)} used.
        {isFull && ' Storage is full. Delete a source, or ask for a larger plan.'}
      </Text>
      <Progress
        value={share}
        {...(share >= 80 && { color: isFull ? 'red' : 'orange' })}
        aria-label="Knowledge storage used"
        size="sm"
        mt={4}
      />
    </div>
  );
}
