import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { Dialog, ProblemText, type Problem } from '@parley/portal-kit/ui';
import { useState, type FormEvent } from 'react';
import { attributeTypes, parseValue, typeOf, type AttributeType } from './attribute-types.ts';
import type { AttributeValue } from './people.ts';

interface Props {
  /** undefined: a new one. */
  attribute: { name: string; value: AttributeValue } | undefined;
  takenNames: readonly string[];
  isSaving: boolean;
  problem: Problem | undefined;
  onSave(name: string, value: AttributeValue): Promise<void>;
  onClose(): void;
}

const errors: Record<AttributeType, string> = {
  text: 'Enter a value.',
  number: 'Enter a number.',
  boolean: 'Choose yes or no.',
  date: 'Enter a date.',
};

export function AttributeDialog({ attribute, takenNames, isSaving, problem, onSave, onClose }: Props) {
  const [name, setName] = useState(attribute?.name ?? '');
  const [type, setType] = useState<AttributeType>(attribute ? typeOf(attribute.value) : 'text');
  const [text, setText] = useState(attribute ? String(attribute.value) : '');
  const [isSent, setSent] = useState(false);
  const value = parseValue(type, text);
  const isTaken = !attribute && takenNames.includes(name.trim());
  const send = (event: FormEvent) => {
    event.preventDefault();
    setSent(true);
    if (value !== undefined && !isTaken) void onSave(name.trim(), value);
  };
  const valueError = isSent && value === undefined && errors[type];
  return (
    <Dialog isOpen onClose={onClose} title={attribute ? `Edit ${attribute.name}` : 'Add attribute'}>
      <form onSubmit={send}>
        <Stack>
          {!attribute && (
            <TextInput
              label="Name"
              placeholder="plan"
              value={name}
              onChange={({ currentTarget }) => setName(currentTarget.value)}
              error={isTaken && 'This attribute exists already. Edit it in the list.'}
              maxLength={64}
              required
              data-autofocus
            />
          )}
          <NativeSelect
            label="Type"
            value={type}
            data={attributeTypes}
            onChange={({ currentTarget }) => {
              setType(currentTarget.value as AttributeType);
              setText(currentTarget.value === 'boolean' ? 'true' : '');
            }}
          />
          {type === 'boolean' ? (
            <NativeSelect
              label="Value"
              value={text}
              data={[
                { value: 'true', label: 'Yes' },
                { value: 'false', label: 'No' },
              ]}
              onChange={({ currentTarget }) => setText(currentTarget.value)}
            />
          ) : (
            <TextInput
              label="Value"
              type={type === 'date' && text.length <= 10 ? 'date' : 'text'}
              inputMode={type === 'number' ? 'decimal' : undefined}
              value={text}
              onChange={({ currentTarget }) => setText(currentTarget.value)}
              error={valueError}
              maxLength={500}
              required
            />
          )}
          <ProblemText problem={problem} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={isSaving}>
              Save attribute
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
