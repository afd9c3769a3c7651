import { Group, Stack, Text } from '@mantine/core';
import { IconArrowDownRight, IconArrowUpRight } from '@tabler/icons-react';
import type { ReactNode } from 'react';

interface Props {
  label: string;
  value: ReactNode;
  /** The difference to the period before, in per cent. */
  changePercent?: number | undefined;
  /** Below the value, such as a limit or a sparkline. */
  children?: ReactNode;
}

/** One large number. */
export const Figure = ({ label, value, changePercent, children }: Props) => (
  <Stack gap={4} miw={0}>
    <Text size="sm" c="dimmed">
      {label}
    </Text>
    <Group gap="xs" align="baseline">
      <Text fz={28} fw={600} lh={1.2}>
        {value}
      </Text>
      {changePercent !== undefined && Number.isFinite(changePercent) && <Change percent={changePercent} />}
    </Group>
    {children}
  </Stack>
);

function Change({ percent }: { percent: number }) {
  const Icon = percent < 0 ? IconArrowDownRight : IconArrowUpRight;
  return (
    <Text size="sm" c="dimmed" title="Compared with the period before">
      {percent !== 0 && <Icon size={14} aria-hidden style={{ verticalAlign: '-2px' }} />}
      {`${percent > 0 ? '+' : ''}${percent.toLocaleString('en', { maximumFractionDigits: 0 })} %`}
    </Text>
  );
}
