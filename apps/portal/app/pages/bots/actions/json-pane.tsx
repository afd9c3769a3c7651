import { Text, Textarea } from '@mantine/core';
import { Copy, Section } from '@parley/portal-kit/ui';
import type { Editing } from './use-editor.ts';

interface Props {
  editing: Editing;
  isClosed: boolean;
  /** What was refused and has no field in the form. */
  faults: { path: string; message: string }[];
}

/** The other side of the editor: the same as the service takes it. */
export function JsonPane({ editing: { text, fault, setText, area }, isClosed, faults }: Props) {
  return (
    <Section
      title="JSON"
      about="The action as the API accepts it. The form and the JSON stay in sync."
      actions={<Copy text={text} label="Copy JSON" />}
    >
      {faults.map(({ path, message }) => (
        <Text key={path + message} c="var(--mantine-color-error)" role="alert">
          {path}: {message}
        </Text>
      ))}
      <Textarea
        ref={area}
        aria-label="Action JSON"
        error={fault !== undefined}
        classNames={{ input: 'json' }}
        value={text}
        onChange={({ currentTarget: { value } }) => setText(value)}
        readOnly={isClosed}
        spellCheck={false}
        autoCapitalize="off"
        autoCorrect="off"
      />
    </Section>
  );
}
