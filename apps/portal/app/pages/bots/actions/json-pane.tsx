import { Text, Textarea } from '@mantine/core';
import { Copy, Section } from '@parley/portal-kit/ui';
import type { ActionEditor } from './use-editor.ts';

interface Props {
  editor: ActionEditor;
  isClosed: boolean;
  /** Validation errors without a form field. */
  errors: { path: string; message: string }[];
}

/** The JSON side of the editor, in the format of the API. */
export function JsonPane({ editor: { text, jsonError, setText, area }, isClosed, errors }: Props) {
  return (
    <Section
      title="JSON"
      description="The action as the API accepts it. The form and the JSON stay in sync."
      actions={<Copy text={text} label="Copy JSON" />}
    >
      {errors.map(({ path, message }) => (
        <Text key={path + message} c="var(--mantine-color-error)" role="alert">
          {path}: {message}
        </Text>
      ))}
      <Textarea
        ref={area}
        aria-label="Action JSON"
        error={jsonError !== undefined}
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
