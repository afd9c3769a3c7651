import { Alert, Text } from '@mantine/core';
import { IconAlertTriangle, IconInfoCircle, IconTool, IconUrgent } from '@tabler/icons-react';
import type { ReactNode } from 'react';

type Kind = 'info' | 'warning' | 'incident' | 'maintenance';

const kindStyles: Record<Kind, { color: string; icon: ReactNode; label: string }> = {
  info: { color: 'teal', icon: <IconInfoCircle size={18} aria-hidden />, label: 'News' },
  maintenance: { color: 'teal', icon: <IconTool size={18} aria-hidden />, label: 'Maintenance' },
  warning: { color: 'orange', icon: <IconAlertTriangle size={18} aria-hidden />, label: 'Warning' },
  incident: { color: 'red', icon: <IconUrgent size={18} aria-hidden />, label: 'Incident' },
};

interface Props {
  announcement: { title: string; text: string; kind: Kind };
  /** A preview while writing, not announced to screen readers. */
  isDraft?: boolean;
  /** Without it, the announcement can't be dismissed. */
  onDismiss?: () => void;
}

/** An announcement from the platform. Plain text, without links. */
export function AnnouncementNote({ announcement: { title, text, kind }, isDraft = false, onDismiss }: Props) {
  const { color, icon, label } = kindStyles[kind];
  return (
    <Alert
      role={isDraft ? 'group' : 'status'}
      variant="light"
      color={color}
      icon={icon}
      title={`${label}: ${title}`}
      {...(onDismiss && { withCloseButton: true, closeButtonLabel: `Dismiss: ${title}`, onClose: onDismiss })}
    >
      {text && (
        <Text size="sm" style={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>
          {text}
        </Text>
      )}
    </Alert>
  );
}
