import { ActionIcon, Button, Checkbox, Group, NativeSelect, Paper, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import {
  addField,
  changeField,
  choicesFrom,
  fieldsOf,
  labelOf,
  removeField,
  renameField,
  typeLabels,
  type FieldType,
  type InputField,
} from './inputs.ts';
import type { Spec } from './spec.ts';
import { useText } from './use-text.ts';

interface Props {
  spec: Spec;
  onChange(spec: Spec): void;
  errorAt(path: string): string | undefined;
}

/** The inputs of the action, edited as rows and stored as JSON Schema. */
export function InputFields({ spec, onChange, errorAt }: Props) {
  const fields = fieldsOf(spec);
  const [added, setAdded] = useState<number>();
  return (
    <Stack gap="sm">
      {fields.length === 0 && <Text c="dimmed">No inputs. The action needs nothing from the visitor.</Text>}
      {fields.map((field, at) => (
        <Paper key={at} withBorder p="sm" role="group" aria-label={`Input ${at + 1}`}>
          {field.type === null ? (
            <Text>
              <b>{labelOf(field)}</b> is too complex for this form. Edit it in the JSON.
            </Text>
          ) : (
            <FieldRow
              field={field}
              number={at + 1}
              isNew={at === added}
              isTaken={(name) => fields.some((other, index) => index !== at && other.name === name)}
              error={errorAt(`/questions/${field.name}`)}
              onRename={(name) => onChange(renameField(spec, field.name, name))}
              onChange={(change) => onChange(changeField(spec, field.name, change))}
              onRemove={() => onChange(removeField(spec, field.name))}
            />
          )}
        </Paper>
      ))}
      {errorAt('/inputSchema') && (
        <Text c="var(--mantine-color-error)" role="alert">
          {errorAt('/inputSchema')}
        </Text>
      )}
      <Button
        w="fit-content"
        size="xs"
        variant="default"
        leftSection={<IconPlus size={14} aria-hidden />}
        disabled={fields.length >= 50}
        onClick={() => {
          setAdded(fields.length);
          onChange(addField(spec));
        }}
      >
        Add input
      </Button>
    </Stack>
  );
}

interface FieldRowProps {
  field: InputField;
  number: number;
  isNew: boolean;
  isTaken(name: string): boolean;
  error: string | undefined;
  onRename(name: string): void;
  onChange(change: Partial<InputField>): void;
  onRemove(): void;
}

function FieldRow({ field, number, isNew, isTaken, error, onRename, onChange, onRemove }: FieldRowProps) {
  const { type, label, isRequired, pattern, question } = field;
  const choices = useText(
    field.choices,
    (all) => all.join(', '),
    (typed) => choicesFrom(typed, type),
    (all) => onChange({ choices: all }),
  );
  return (
    <Stack gap="xs">
      <Group gap="xs" wrap="nowrap" align="flex-end">
        <FieldName field={field} isNew={isNew} isTaken={isTaken} onRename={onRename} />
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={`Remove input ${number}`} onClick={onRemove}>
          <IconTrash size={16} aria-hidden />
        </ActionIcon>
      </Group>
      <div className="pair">
        <TextInput
          label="Label"
          description="What visitors see."
          placeholder={labelOf(field)}
          value={label}
          maxLength={100}
          onChange={({ currentTarget: { value } }) => onChange({ label: value })}
        />
        <NativeSelect
          label="Type"
          description="Values of another type are rejected."
          value={type ?? 'string'}
          data={Object.entries(typeLabels).map(([value, text]) => ({ value, label: text }))}
          onChange={({ currentTarget: { value } }) => onChange({ type: value as FieldType })}
        />
        {type !== 'boolean' && (
          <TextInput
            label="Allowed values (optional)"
            description="Separated by commas. Other values are rejected."
            {...choices}
          />
        )}
        {type === 'string' && (
          <TextInput
            label="Pattern (optional)"
            description="A regular expression the value must match."
            placeholder="^A-[0-9]+$"
            classNames={{ input: 'mono' }}
            value={pattern}
            onChange={({ currentTarget: { value } }) => onChange({ pattern: value })}
          />
        )}
      </div>
      <TextInput
        label="Question (optional)"
        description="How the bot asks for it."
        placeholder="Which order is it?"
        value={question}
        maxLength={200}
        error={error}
        onChange={({ currentTarget: { value } }) => onChange({ question: value })}
      />
      <Checkbox
        label="Required"
        description="The bot asks until it has an answer."
        checked={isRequired}
        onChange={({ currentTarget: { checked } }) => onChange({ isRequired: checked })}
      />
    </Stack>
  );
}

interface NameProps {
  field: InputField;
  isNew: boolean;
  isTaken(name: string): boolean;
  onRename(name: string): void;
}

/** Invalid names are not applied while typing, because two fields with one name would merge. */
function FieldName({ field, isNew, isTaken, onRename }: NameProps) {
  const [typed, setTyped] = useState<string>();
  const shown = typed ?? field.name;
  const jsonError =
    shown.trim() === ''
      ? 'Enter a name.'
      : isTaken(shown)
        ? 'Another input has this name.'
        : shown === '__proto__'
          ? 'Choose another name.'
          : undefined;
  return (
    <TextInput
      flex={1}
      label="Input name"
      description="As your system receives it, for example orderId."
      classNames={{ input: 'mono' }}
      value={shown}
      maxLength={64}
      // oxlint-disable-next-line jsx-a11y/no-autofocus -- the user just added this row
      autoFocus={isNew}
      error={jsonError}
      onFocus={({ currentTarget }) => isNew && currentTarget.select()}
      onBlur={() => setTyped(undefined)}
      onChange={({ currentTarget: { value } }) => {
        setTyped(value);
        if (value.trim() !== '' && value !== '__proto__' && !isTaken(value)) onRename(value);
      }}
    />
  );
}
