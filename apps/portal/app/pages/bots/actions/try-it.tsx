import { Alert, Button, Group, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core';
import type { Routes } from '@parley/portal-kit/service';
import {
  api,
  call,
  Problem,
  ProblemText,
  Section,
  Snippet,
  Status,
  trimmedField,
  TextLink,
  useAction,
  WithReason,
} from '@parley/portal-kit/ui';
import { IconPencil, IconPlayerPlay } from '@tabler/icons-react';
import { useState, type FormEvent } from 'react';
import { AttemptList } from '../../developers/runs/attempt-list.tsx';
import { statusLabelOf, outcomeText } from '../../developers/runs/labels.ts';
import { fieldsOf, labelOf, valueFrom, type InputField } from './inputs.ts';
import type { Action } from './labels.ts';

type TryResult = Routes['/actions/{id}/try']['POST']['response'];

interface Props {
  action: Action;
  isChanged: boolean;
  reason: string | undefined;
}

/** Runs the action for real and shows the request and response. */
export function TryIt({ action, isChanged, reason }: Props) {
  const fields = fieldsOf(action);
  const [result, setResult] = useState<TryResult>();
  const attempt = useAction(async (input: Record<string, unknown>, externalUserId: string) => {
    setResult(undefined);
    const body = { input, ...(externalUserId && { externalUserId }) };
    setResult(await call(api.POST('/actions/{id}/try', { params: { path: { id: action.id } }, body })));
  });
  const [jsonError, setProblem] = useState<Problem>();
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const parsed = readInput(fields, form);
    setProblem('problem' in parsed ? parsed.problem : undefined);
    if ('input' in parsed) void attempt.run(parsed.input, trimmedField(form, 'externalUserId'));
  };
  return (
    <Section
      title="Test action"
      description="Calls your endpoint now with a signed request marked “test”. Your system decides how to handle tests. The request isn’t retried."
    >
      {isChanged && (
        <Alert color="orange" icon={<IconPencil size={18} aria-hidden />}>
          The test uses the saved action, without your unsaved changes.
        </Alert>
      )}
      <form onSubmit={send}>
        <Stack gap="sm">
          <div className="pair">
            {fields.map((field) => (
              <TryField key={field.name} field={field} />
            ))}
            <TextInput
              name="externalUserId"
              label={`Signed-in user ID${action.requiresContact ? '' : ' (optional)'}`}
              description="The ID your own system has for this user."
              placeholder="customer-42"
              maxLength={200}
              required={action.requiresContact}
              autoComplete="off"
            />
          </div>
          <ProblemText problem={jsonError ?? attempt.problem} />
          <WithReason reason={reason}>
            <Button
              type="submit"
              w="fit-content"
              loading={attempt.isRunning}
              disabled={reason !== undefined}
              leftSection={<IconPlayerPlay size={16} aria-hidden />}
            >
              Run test
            </Button>
          </WithReason>
        </Stack>
      </form>
      {result && <Result result={result} />}
    </Section>
  );
}

const inputName = (field: string) => `input.${field}`;

/** Empty fields are omitted. */
function readInput(fields: InputField[], form: FormData): { input: Record<string, unknown> } | { problem: Problem } {
  const input: Record<string, unknown> = {};
  for (const field of fields)
    try {
      const value = valueFrom(trimmedField(form, inputName(field.name)), field.type);
      if (value !== undefined) input[field.name] = value;
    } catch {
      return { problem: new Problem(0, { message: `“${labelOf(field)}” isn’t valid JSON.` }) };
    }
  return { input };
}

function TryField({ field }: { field: InputField }) {
  const { type, name, description, isRequired, choices, pattern } = field;
  const shared = {
    name: inputName(name),
    label: `${labelOf(field)}${isRequired ? '' : ' (optional)'}`,
    description: description || (pattern ? `Matches ${pattern}` : `Sent as “${name}”.`),
    required: isRequired,
  };
  if (type === null)
    return <Textarea {...shared} description="Enter JSON." classNames={{ input: 'mono' }} autosize minRows={2} />;
  if (type === 'boolean' || choices.length > 0)
    return (
      <NativeSelect
        {...shared}
        data={[
          { value: '', label: 'Select a value' },
          ...(type === 'boolean'
            ? [
                { value: 'true', label: 'Yes' },
                { value: 'false', label: 'No' },
              ]
            : choices.map((choice) => ({ value: String(choice), label: String(choice) }))),
        ]}
      />
    );
  return <TextInput {...shared} autoComplete="off" inputMode={type === 'string' ? 'text' : 'decimal'} />;
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
const headerLines = (headers: Record<string, string>) =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

function Result({ result: { run, exchange } }: { result: TryResult }) {
  const { tone, label } = statusLabelOf(run);
  return (
    <Stack gap="md" role="region" aria-label="Result">
      <div role="status">
        <Group gap="xs">
          <Status tone={tone}>{label}</Status>
          <Text>{outcomeText(run)}</Text>
          <TextLink to={`/developers/runs/${run.id}`}>View run</TextLink>
        </Group>
        {run.error?.message && <Text>Your system said: {run.error.message}</Text>}
        {run.display && <Text>The visitor would see: “{run.display}”</Text>}
      </div>
      {run.attempts.length > 0 && <AttemptList attempts={run.attempts} />}
      {exchange ? (
        <div className="exchange">
          <Stack gap="xs">
            <Text fw={600}>Signed request</Text>
            <Snippet label="URL and headers">{`POST ${exchange.request.url}\n${headerLines(exchange.request.headers)}`}</Snippet>
            <Snippet label="Request body (formatted)">{pretty(exchange.request.body)}</Snippet>
          </Stack>
          <Stack gap="xs">
            <Text fw={600}>Response</Text>
            {exchange.response ? (
              <>
                <Snippet label="Status and headers">{`HTTP ${exchange.response.status}\n${headerLines(exchange.response.headers)}`}</Snippet>
                {exchange.response.body === '' ? (
                  <Text c="dimmed">No body.</Text>
                ) : (
                  <Snippet label={exchange.response.isCut ? 'Response body (truncated)' : 'Response body'}>
                    {pretty(exchange.response.body)}
                  </Snippet>
                )}
              </>
            ) : (
              <Text>No response.</Text>
            )}
          </Stack>
        </div>
      ) : (
        <Text>No request was sent.</Text>
      )}
    </Stack>
  );
}
