import { Alert, Text } from '@mantine/core';
import { IconAlertTriangle, IconInfoCircle, IconTool, IconUrgent } from '@tabler/icons-react';
import type { ReactNode } from 'react';

type Kind = 'info' | 'warning' | 'incident' | 'maintenance';

const looks: Record<Kind, { color: string; icon: ReactNode; word: string }> = {
  info: { color: 'teal', icon: <IconInfoCircle size={18} aria-hidden />, word: 'News' },
  maintenance: { color: 'teal', icon: <IconTool size={18} aria-hidden />, word: 'Maintenance' },
  warning: { color: 'orange', icon: <IconAlertTriangle size={18} aria-hidden />, word: 'Warning' },
  incident: { color: 'red', icon: <IconUrgent size={18} aria-hidden />, word: 'Incident' },
};

interface Props {
  announcement: { title: string; text: string; kind: Kind };
  /** Shown while it is being written: nobody is told of each email. */
  isDraft?: boolean;
  /** Left out: it cannot be put away. */
  onPutAway?: () => void;
}

/** What those who run the service tell their customers. Its text is shown as it is, and nothing in it can be followed. */
export function AnnouncementNote({ announcement: { title, text, kind }, isDraft = false, onPutAway }: Props) {
  const { color, icon, word } = looks[kind];
  return (
    <Alert
      role={isDraft ? 'group' : 'status'}
      variant="light"
      color={color}
      icon={icon}
      title={`${word}: ${title}`}
      {...(onPutAway && { withCloseButton: true, closeButtonLabel: `Dismiss: ${title}`, onClose: onPutAway })}
    >
      {text && (
        <Text size="sm" style={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>
          {text}
        </Text>
      )}
    </Alert>
  );
}
