import { Code, List, NativeSelect, NumberInput, Radio, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core';
import { Section, TextLink } from '@parley/portal-kit/ui';
import type { Endpoint } from './endpoints.ts';
import { InputFields } from './input-fields.tsx';
import { nameFrom, type Spec } from './spec.ts';
import type { ActionEditor } from './use-editor.ts';
import { useText } from './use-text.ts';
import { confirms, effects, risks } from './labels.ts';

interface Props {
  editor: ActionEditor;
  endpoints: Endpoint[];
  isNew: boolean;
  errorAt(path: string): string | undefined;
}

/** The form side of the editor. While the JSON is invalid, it is read-only and shows the last valid state. */
export function SpecForm({ editor, ...rest }: Props) {
  const { spec, setSpec, jsonError } = editor;
  const set = (patch: Partial<Spec>) => setSpec({ ...spec, ...patch });
  const shared = { spec, set, ...rest };
  return (
    <fieldset className="bare" disabled={jsonError !== undefined} aria-label="Action form">
      <div className="frames">
        <Basics {...shared} />
        <Behaviour {...shared} />
        <Section title="Inputs" description="The bot asks for these one by one and sends nothing else.">
          <InputFields spec={spec} onChange={setSpec} errorAt={rest.errorAt} />
        </Section>
        <Triggers {...shared} />
      </div>
    </fieldset>
  );
}

interface SectionProps extends Omit<Props, 'editor'> {
  spec: Spec;
  set(patch: Partial<Spec>): void;
}

function Basics({ spec, set, endpoints, isNew, errorAt }: SectionProps) {
  const { title, name, description, webhookId, steps } = spec;
  // Until the name is edited, it is generated from the title.
  const isNameGenerated = isNew && name === nameFrom(title);
  const isListed = webhookId === null || endpoints.some(({ id }) => id === webhookId);
  return (
    <Section title="Basics">
      <TextInput
        label="Title"
        description="What visitors see, for example “Cancel an order”."
        value={title}
        maxLength={80}
        required
        error={errorAt('/title')}
        onChange={({ currentTarget: { value } }) =>
          set({ title: value, ...(isNameGenerated && { name: nameFrom(value) }) })
        }
      />
      <TextInput
        label="Name"
        description="Identifies the action to the AI and your system: lowercase a–z, digits and _, unique in this bot."
        classNames={{ input: 'mono' }}
        value={name}
        maxLength={48}
        required
        error={errorAt('/name')}
        onChange={({ currentTarget: { value } }) => set({ name: value })}
      />
      <Textarea
        label="Description"
        description="Tells the AI what the action does and when to use it."
        value={description}
        maxLength={1_000}
        autosize
        minRows={2}
        maxRows={8}
        error={errorAt('/description')}
        onChange={({ currentTarget: { value } }) => set({ description: value })}
      />
      {steps ? (
        <Steps steps={steps} />
      ) : (
        <NativeSelect
          label="Endpoint"
          description="The webhook endpoint to call. Requests are signed with its secret."
          value={webhookId ?? ''}
          error={errorAt('/webhookId')}
          onChange={({ currentTarget: { value } }) => set({ webhookId: value || null })}
          data={[
            { value: '', label: endpoints.length === 0 ? 'No endpoints yet' : 'Select an endpoint' },
            ...endpoints.map(({ id, label }) => ({ value: id, label })),
            ...(isListed ? [] : [{ value: webhookId ?? '', label: 'Endpoint you don’t have access to' }]),
          ]}
        />
      )}
      {!steps && endpoints.length === 0 && (
        <Text>
          <TextLink to="/developers/webhooks">Add an endpoint</TextLink> first. Subscribing it to “ping” is enough.
        </Text>
      )}
    </Section>
  );
}

const Steps = ({ steps }: { steps: NonNullable<Spec['steps']> }) => (
  <div>
    <Text fw={500}>Steps</Text>
    <Text size="xs" c="dimmed">
      This action runs other actions in this order instead of calling an endpoint. Edit steps in the JSON.
    </Text>
    <List type="ordered" size="sm" mt={4}>
      {steps.map(({ name, compensation }, at) => (
        <List.Item key={at}>
          <Code>{name}</Code>
          {compensation && ', undone if a later step fails'}
        </List.Item>
      ))}
    </List>
  </div>
);

function Behaviour({ spec, set, errorAt }: SectionProps) {
  const { risk, effect, confirm, steps, requiresContact, timeoutMs } = spec;
  const canSkipConfirmation = risk === 'read' || steps !== null;
  return (
    <Section title="Behaviour">
      <Radio.Group
        label="Risk"
        value={risk}
        error={errorAt('/risk')}
        onChange={(value) =>
          set({
            risk: value,
            ...(value === 'write' && confirm === 'never' && !steps && { confirm: 'writes' }),
          })
        }
      >
        <Choices choices={risks} />
      </Radio.Group>
      <Radio.Group
        label="If there is no response"
        value={effect}
        error={errorAt('/effect')}
        onChange={(value) => set({ effect: value })}
      >
        <Choices choices={effects} />
      </Radio.Group>
      <Radio.Group
        label="Visitor confirmation"
        value={confirm}
        error={errorAt('/confirm')}
        onChange={(value) => set({ confirm: value })}
      >
        <Choices choices={confirms} isClosed={(value) => value === 'never' && !canSkipConfirmation} />
      </Radio.Group>
      <Switch
        label="Signed-in visitors only"
        description="Your backend must have identified the visitor. Your system gets signed proof of who they are."
        checked={requiresContact}
        onChange={({ currentTarget: { checked } }) => set({ requiresContact: checked })}
      />
      <Switch
        label="Available to visitors"
        description="When off, the action only runs as a step of another action."
        checked={spec.isOffered}
        onChange={({ currentTarget: { checked } }) => set({ isOffered: checked })}
      />
      <NumberInput
        label="Timeout"
        description="How long your system can take to respond. If it needs longer, respond with 202 and finish later."
        maw={320}
        value={timeoutMs / 1_000}
        min={1}
        max={15}
        suffix=" s"
        decimalScale={1}
        clampBehavior="strict"
        error={errorAt('/timeoutMs')}
        onChange={(value) => typeof value === 'number' && set({ timeoutMs: Math.round(value * 1_000) })}
      />
    </Section>
  );
}

interface ChoicesProps {
  choices: { value: string; label: string; description: string }[];
  isClosed?(value: string): boolean;
}

const Choices = ({ choices, isClosed }: ChoicesProps) => (
  <Stack gap={6} mt={4}>
    {choices.map(({ value, label, description }) => (
      <Radio key={value} value={value} label={label} description={description} disabled={isClosed?.(value) ?? false} />
    ))}
  </Stack>
);

const toLines = (text: string) => text.split('\n').flatMap((line) => line.trim() || []);

function Triggers({ spec, set, errorAt }: SectionProps) {
  const phrases = useText(
    spec.triggers,
    (all) => all.join('\n'),
    toLines,
    (triggers) => set({ triggers }),
  );
  return (
    <Section
      title="Triggers"
      description="The AI decides by the description. Without AI, these phrases trigger the action."
    >
      <Textarea
        label="Phrases"
        description="What visitors might say, one phrase per line, up to 30."
        placeholder={'where is my order\ntrack my package'}
        autosize
        minRows={3}
        maxRows={12}
        error={errorAt('/triggers')}
        {...phrases}
      />
    </Section>
  );
}
