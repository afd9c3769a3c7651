import { Code, Divider, Select, Stack, Switch, Text, Textarea } from '@mantine/core';
import type { Schemas } from '@parley/portal-kit/service';
import { api, call, ProblemText, SaveBar, Section, TextLink, toast, useAction } from '@parley/portal-kit/ui';
import { useState, type ReactNode } from 'react';
import { useMe } from '../../../parts/me.ts';
import { denialReason } from '../../../parts/rights.ts';

type Policies = Schemas['Policies'];
type ListName = 'allowedEmailDomains' | 'memberIpRanges' | 'serverKeyIpRanges';
interface Props {
  policies: Policies;
  membersOutsideDomains: number;
  yourIp: string;
}

const useChange = () => useAction((change: Partial<Policies>) => call(api.PATCH('/tenant/policies', { body: change })));

export function Security({ policies, membersOutsideDomains, yourIp }: Props) {
  const reason = denialReason(useMe(), 'policy.manage');
  return (
    <Section
      title="Security"
      description="Requirements for members and server keys. Changes take effect within 5 seconds and appear in your audit log."
    >
      {reason && <Text>{reason}</Text>}
      <TwoFactor isRequired={policies.requireTwoFactor} reason={reason} />
      <Divider />
      <SessionLifetime hours={policies.maxSessionHours} reason={reason} />
      <Divider />
      <ListForm
        name="allowedEmailDomains"
        label="Allowed email domains"
        description="One per line, like example.com. Only people with these email domains can be invited and join. List subdomains separately. Leave blank to allow any domain."
        submitLabel="Save domains"
        values={policies.allowedEmailDomains}
        reason={reason}
      >
        {membersOutsideDomains > 0 && (
          <Text c="var(--warn)">
            {membersOutsideDomains === 1
              ? 'One member has another email domain and keeps access.'
              : `${membersOutsideDomains} members have other email domains and keep access.`}{' '}
            <TextLink to="/organisation">View members</TextLink>
          </Text>
        )}
      </ListForm>
      <Divider />
      <ListForm
        name="memberIpRanges"
        label="IP addresses for members"
        description="One IP address or CIDR range per line, IPv4 or IPv6. Members can only access this organisation from these. Leave blank to allow any. Parley support isn’t affected: see Support access below."
        submitLabel="Save member IP addresses"
        values={policies.memberIpRanges}
        reason={reason}
      >
        <Text size="sm" c="dimmed">
          Your IP address is <Code>{yourIp}</Code>. The list must include it, so you don’t lock yourself out.
        </Text>
      </ListForm>
      <Divider />
      <ListForm
        name="serverKeyIpRanges"
        label="IP addresses for server keys"
        description="One IP address or CIDR range per line. Server keys only work from these. Leave blank to allow any. Widget keys aren’t affected, because visitors use them."
        submitLabel="Save server key IP addresses"
        values={policies.serverKeyIpRanges}
        reason={reason}
      />
    </Section>
  );
}

function TwoFactor({ isRequired, reason }: { isRequired: boolean; reason: string | undefined }) {
  const change = useChange();
  return (
    <Stack gap="xs">
      <Switch
        label="Require two-factor authentication"
        description="Members without it can only set it up and sign out. Set it up for yourself first."
        checked={isRequired}
        disabled={reason !== undefined || change.isRunning}
        onChange={(event) => void change.run({ requireTwoFactor: event.currentTarget.checked })}
      />
      {change.problem?.reason === 'own_two_factor_missing' && (
        <TextLink to="/profile">Set up two-factor authentication</TextLink>
      )}
      <ProblemText problem={change.problem} />
    </Stack>
  );
}

const choices: [hours: number, label: string][] = [
  [1, '1 hour'],
  [4, '4 hours'],
  [8, '8 hours'],
  [12, '12 hours'],
  [24, '1 day'],
  [168, '7 days'],
  [336, '14 days'],
  [720, '30 days'],
  [2_160, '90 days'],
];

function SessionLifetime({ hours, reason }: { hours: number | null; reason: string | undefined }) {
  const change = useChange();
  const isCustom = hours !== null && !choices.some(([choice]) => choice === hours);
  const options = isCustom ? [...choices, [hours, `${hours} hours`] as const] : choices;
  return (
    <Stack gap="xs">
      <Select
        label="Session lifetime"
        description="Members must sign in again this long after they last used their password or passkey."
        data={[{ value: '', label: 'Default' }, ...options.map(([value, label]) => ({ value: String(value), label }))]}
        value={hours === null ? '' : String(hours)}
        allowDeselect={false}
        disabled={reason !== undefined || change.isRunning}
        onChange={(value) => void change.run({ maxSessionHours: value ? Number(value) : null })}
        w={280}
        maw="100%"
      />
      <ProblemText problem={change.problem} />
    </Stack>
  );
}

interface ListProps {
  name: ListName;
  label: string;
  description: string;
  submitLabel: string;
  values: string[];
  reason: string | undefined;
  children?: ReactNode;
}

const toLines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

function ListForm({ name, label, description, submitLabel, values, reason, children }: ListProps) {
  const [text, setText] = useState(values.join('\n'));
  const change = useChange();
  const lines = toLines(text);
  const save = async () => {
    const saved = await change.run({ [name]: lines });
    if (!saved) return;
    // Keeps what was typed meanwhile.
    setText((current) => (current === text ? saved.policies[name].join('\n') : current));
    toast({ message: 'Saved.' });
  };
  const invalidLines = change.problem?.details.flatMap(({ path }) => lines[Number(path.split('/').at(-1))] ?? []) ?? [];
  return (
    <Stack gap="xs">
      <Textarea
        label={label}
        description={description}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          change.clear();
        }}
        autosize
        minRows={2}
        maxRows={12}
        spellCheck={false}
        disabled={reason !== undefined}
        error={invalidLines.length > 0 && `Check ${invalidLines.map((line) => `“${line}”`).join(', ')}.`}
      />
      {children}
      <SaveBar
        isDirty={lines.join('\n') !== values.join('\n')}
        onSave={() => void save()}
        onDiscard={() => {
          setText(values.join('\n'));
          change.clear();
        }}
        isSaving={change.isRunning}
        problem={change.problem}
        saveLabel={submitLabel}
      />
    </Stack>
  );
}
