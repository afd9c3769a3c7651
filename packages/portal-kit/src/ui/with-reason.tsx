import { Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';

/** Shows why a control is disabled, on hover, on focus and to screen readers. */
export const WithReason = ({ reason, children }: { reason: string | undefined; children: ReactNode }) =>
  reason ? (
    <Tooltip label={reason} multiline maw={320} events={{ hover: true, focus: true, touch: true }}>
      <span
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a disabled control can't have the focus
        tabIndex={0}
        role="note"
        aria-label={reason}
      >
        {children}
      </span>
    </Tooltip>
  ) : (
    children
  );
