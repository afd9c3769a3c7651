import { Button, Group, Text } from '@mantine/core';
import { IconReload } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import type { Appearance } from '../pages/bots/bot-data.ts';

interface Props {
  botId: string;
  title: string;
  /** What the frame shows, such as "Phone". */
  label: string;
  /** The draft's revision. A change reloads the frame. */
  revision: number | string;
  height: number;
  width?: number;
  /** The unsaved appearance. */
  appearance?: Appearance;
}

function sendAppearance(frame: HTMLIFrameElement | null, appearance: Appearance | undefined) {
  if (appearance) frame?.contentWindow?.postMessage({ type: 'appearance', appearance }, location.origin);
}

/** The real widget in a frame, answering from the draft. */
export function Preview({ botId, title, label, revision, height, width, appearance }: Props) {
  const [reloadCount, setReloadCount] = useState(0);
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => sendAppearance(frame.current, appearance), [appearance]);
  const frameKey = `${botId}-${revision}-${reloadCount}`;
  return (
    <div>
      <Group justify="space-between" mb={4} gap="xs">
        <Text size="sm" c="dimmed">
          {label}
        </Text>
        <Button
          size="compact-xs"
          variant="subtle"
          leftSection={<IconReload size={14} aria-hidden />}
          onClick={() => setReloadCount(reloadCount + 1)}
          aria-label={`Start over (${label})`}
        >
          Start over
        </Button>
      </Group>
      <iframe
        ref={frame}
        key={frameKey}
        className="preview"
        src={`/preview/${botId}`}
        title={title}
        // Like the widget's own frame: nothing in it can navigate the portal or open a dialog. It is not isolated, since
        // it needs the member's session and so the portal's origin.
        // oxlint-disable-next-line react/iframe-missing-sandbox -- only our own scripts run in it, see its policy
        sandbox="allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox allow-downloads"
        onLoad={({ currentTarget }) => sendAppearance(currentTarget, appearance)}
        style={{ height, maxWidth: width ?? '100%', marginInline: 'auto' }}
      />
    </div>
  );
}
