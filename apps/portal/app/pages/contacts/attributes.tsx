import { Button, Menu, Text } from '@mantine/core';
import { api, call, ProblemText, RowMenu, Section, toast, useAction, WithReason } from '@parley/portal-kit/ui';
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useMe } from '../../parts/me.ts';
import { denialReason } from '../../parts/rights.ts';
import { AttributeDialog } from './attribute-dialog.tsx';
import { labelOf } from './attribute-types.ts';
import classes from './contacts.module.css';
import type { AttributeValue, Contact } from './people.ts';

const maxAttributes = 50;

/** The tenant's own fields. */
export function Attributes({ contact: { id, attributes } }: { contact: Contact }) {
  const [edited, setEdited] = useState<{ name: string; value: AttributeValue } | 'new'>();
  const names = Object.keys(attributes).toSorted((a, b) => a.localeCompare(b, 'en'));
  const reason = denialReason(useMe(), 'contact.update');
  const fullReason = names.length >= maxAttributes ? `A contact has at most ${maxAttributes} attributes.` : undefined;
  const save = useAction((changes: Record<string, AttributeValue | null>) =>
    call(api.PATCH('/contacts/{id}', { params: { path: { id } }, body: { attributes: changes } })),
  );
  const remove = async (name: string, value: AttributeValue) => {
    if (await save.run({ [name]: null }))
      toast({ message: `${name} removed`, undo: () => void save.run({ [name]: value }) });
  };
  return (
    <Section
      title="Attributes"
      actions={
        <WithReason reason={reason ?? fullReason}>
          <Button
            size="compact-sm"
            variant="subtle"
            leftSection={<IconPlus size={14} aria-hidden />}
            disabled={(reason ?? fullReason) !== undefined}
            onClick={() => setEdited('new')}
          >
            Add
          </Button>
        </WithReason>
      }
    >
      {names.length === 0 ? (
        <Text c="dimmed">Your website can send attributes such as the plan. You can also add them here.</Text>
      ) : (
        <dl className={classes['attributes']}>
          {names.map((name) => {
            const value = attributes[name] as AttributeValue;
            return (
              <div key={name} className={classes['pair']}>
                <Text component="dt" size="sm" c="dimmed">
                  {name}
                </Text>
                <Text component="dd" m={0}>
                  {labelOf(value)}
                </Text>
                {reason === undefined && (
                  <dd className={classes['menu']}>
                    <RowMenu label={name}>
                      <Menu.Item
                        leftSection={<IconPencil size={14} aria-hidden />}
                        onClick={() => setEdited({ name, value })}
                      >
                        Edit
                      </Menu.Item>
                      <Menu.Item
                        leftSection={<IconTrash size={14} aria-hidden />}
                        onClick={() => void remove(name, value)}
                      >
                        Remove
                      </Menu.Item>
                    </RowMenu>
                  </dd>
                )}
              </div>
            );
          })}
        </dl>
      )}
      {!edited && <ProblemText problem={save.problem} />}
      {edited && (
        <AttributeDialog
          attribute={edited === 'new' ? undefined : edited}
          takenNames={names}
          isSaving={save.isRunning}
          problem={save.problem}
          onSave={async (name, value) => {
            if (await save.run({ [name]: value })) setEdited(undefined);
          }}
          onClose={() => setEdited(undefined)}
        />
      )}
    </Section>
  );
}
