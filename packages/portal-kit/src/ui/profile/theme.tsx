import { Radio, Stack, useMantineColorScheme, type MantineColorScheme } from '@mantine/core';
import { useMounted } from '@mantine/hooks';
import { Section } from '../page.tsx';

export function Theme() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  // Only the browser knows the theme, so nothing is selected in the server-rendered page.
  const isMounted = useMounted();
  return (
    <Section title="Appearance">
      <Radio.Group
        label="Theme"
        description="Saved in this browser only."
        value={isMounted ? colorScheme : ''}
        onChange={(value) => setColorScheme(value as MantineColorScheme)}
      >
        <Stack gap="xs" mt="xs">
          <Radio value="light" label="Light" />
          <Radio value="dark" label="Dark" />
          <Radio value="auto" label="System" />
        </Stack>
      </Radio.Group>
    </Section>
  );
}
