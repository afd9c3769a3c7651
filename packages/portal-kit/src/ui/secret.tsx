import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { IconDownload, IconKey } from '@tabler/icons-react';
import { Copy } from './small.tsx';

interface Props {
  title: string;
  secret: string;
  fileName: string;
  /** Called when the user confirms that they saved it. */
  onSaved(): void;
}

/** A secret that is shown once, to copy or download. */
export function SecretPanel({ title, secret, fileName, onSaved }: Props) {
  const download = () => {
    const url = URL.createObjectURL(new Blob([`${secret}\n`], { type: 'text/plain' }));
    const link = Object.assign(document.createElement('a'), { href: url, download: fileName });
    link.click();
    URL.revokeObjectURL(url);
  };
  return (
    <Alert color="orange" icon={<IconKey size={18} aria-hidden />} title={title} variant="light" role="status">
      <Stack gap="xs">
        <Text>Copy it now. You won’t be able to see it again.</Text>
        <Code block tabIndex={0} aria-label="Secret value" style={{ wordBreak: 'break-all', whiteSpace: 'pre-wrap' }}>
          {secret}
        </Code>
        <Group gap="xs">
          <Copy text={secret} label="Copy secret" />
          <Button
            size="compact-xs"
            variant="subtle"
            leftSection={<IconDownload size={14} aria-hidden />}
            onClick={download}
          >
            Download
          </Button>
          <Button size="compact-xs" onClick={onSaved}>
            I’ve saved it
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
