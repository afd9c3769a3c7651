import { Button, Code, Group, List, Radio, Stack, Text } from '@mantine/core';
import {
  api,
  call,
  Dialog,
  ProblemText,
  SecretPanel,
  Section,
  Snippet,
  TextLink,
  useAction,
  WithReason,
} from '@parley/portal-kit/ui';
import { useState } from 'react';
import { useKnown } from '../../../parts/me.ts';
import { Countdown } from './countdown.tsx';
import { overlaps } from './key-words.ts';
import type { Webhook } from './webhook-words.ts';

interface Props {
  webhook: Webhook;
  reason: string | undefined;
}

/** Rotation as steps: choose, take the new secret, put it in, and see when the old one ends. */
export function SigningSecret({ webhook, reason }: Props) {
  const [isOpen, setOpen] = useState(false);
  const [overlap, setOverlap] = useState('86400');
  const [secret, setSecret] = useState<string>();
  const endsAt = webhook.previousSecretExpiresAt;
  const rotate = useAction(() =>
    call(
      api.POST('/webhooks/{webhookId}/rotate-secret', {
        params: { path: { webhookId: webhook.id } },
        body: { overlapSeconds: Number(overlap), force: endsAt !== null },
      }),
    ),
  );
  const go = () =>
    void rotate.run().then((done) => {
      if (!done) return;
      setSecret(done.secret);
      setOpen(false);
    });
  return (
    <Section
      title="Signing secret"
      about="Our calls are signed with it, so that you know they are ours."
      actions={
        <WithReason reason={reason}>
          <Button size="xs" variant="default" disabled={!!reason} onClick={() => setOpen(true)}>
            Rotate secret
          </Button>
        </WithReason>
      }
    >
      {secret && (
        <SecretPanel
          title="Step 2: keep the new secret"
          secret={secret}
          fileName={`${webhook.id}.txt`}
          onKept={() => setSecret(undefined)}
        />
      )}
      <Text>
        Fingerprint of the newest: <Code>{webhook.secretHint}</Code>, the beginning of its SHA-256.
      </Text>
      {endsAt && (
        <div role="status">
          <Text fw={600}>
            A rotation runs. The old secret still works <Countdown until={endsAt} over="no longer" />.
          </Text>
          <List type="ordered" mt={4}>
            <List.Item>Each call carries two signatures now, one of each secret.</List.Item>
            <List.Item>Put the new secret into your server. Any signature that fits is enough.</List.Item>
            <List.Item>Send a test, and see that it is answered.</List.Item>
            <List.Item>Then there is nothing more to do: the old secret ends by itself.</List.Item>
          </List>
        </div>
      )}
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title="Rotate the signing secret">
        <Stack>
          <Text>Step 1: choose how long both secrets sign. You get the new one next, and put it into your server.</Text>
          {endsAt && <Text fw={600}>A rotation still runs. Rotating again ends its older secret now.</Text>}
          <Radio.Group label="The old secret ends" value={overlap} onChange={setOverlap}>
            <Stack gap={6} mt={6}>
              {overlaps.map(({ value, label }) => (
                <Radio key={value} value={value} label={value === '0' ? 'Now' : `In ${label}`} />
              ))}
            </Stack>
          </Radio.Group>
          <Text role="status">
            {overlap === '0'
              ? 'Calls are signed with the new secret only. Your server refuses them until it has it; they are tried again.'
              : 'Until then each call carries both signatures, so that nothing is refused while you change it.'}
          </Text>
          <ProblemText problem={rotate.problem} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={() => setOpen(false)}>
              Cancel
            </Button>
            <Button onClick={go} loading={rotate.isRunning}>
              Rotate secret
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </Section>
  );
}

/** For the other direction: the tenant's system calls us. */
export function InboundSecret({ webhook, reason }: Props) {
  const { me, site } = useKnown();
  const [isOpen, setOpen] = useState(false);
  const [secret, setSecret] = useState<string>();
  const make = useAction(() =>
    call(api.POST('/webhooks/{webhookId}/inbound-secret', { params: { path: { webhookId: webhook.id } } })),
  );
  const go = () =>
    void make.run().then((done) => {
      if (!done) return;
      setSecret(done.secret);
      setOpen(false);
    });
  const verb = webhook.hasInboundSecret ? 'Replace inbound secret' : 'Make inbound secret';
  return (
    <Section
      title="Calls to us"
      about="With a secret for the other direction, your system can send messages, update contacts and close conversations without a key."
      actions={
        <WithReason reason={reason}>
          <Button
            size="xs"
            variant="default"
            disabled={!!reason}
            loading={make.isRunning && !isOpen}
            onClick={webhook.hasInboundSecret ? () => setOpen(true) : go}
          >
            {verb}
          </Button>
        </WithReason>
      }
    >
      {!isOpen && <ProblemText problem={make.problem} />}
      {secret && (
        <SecretPanel
          title="The inbound secret"
          secret={secret}
          fileName={`${webhook.id}-inbound.txt`}
          onKept={() => setSecret(undefined)}
        />
      )}
      <Text>{webhook.hasInboundSecret ? 'There is an inbound secret.' : 'There is no inbound secret yet.'}</Text>
      {webhook.hasInboundSecret && (
        <>
          <Snippet label="Send, signed as our calls to you are">
            {`POST ${site.apiUrl}/webhooks/inbound
X-Service-Tenant-Id: ${me.tenantId}
X-Service-Webhook-Id: ${webhook.id}
X-Service-Timestamp: <seconds since 1970>
X-Service-Signature: v1=<HMAC-SHA-256 of timestamp.body, in hex>
Idempotency-Key: <one for each thing you ask for>
Content-Type: application/json

{ "type": "message.send", "data": { … } }`}
          </Snippet>
          <Text>
            How signing works is on <TextLink to="/developers">Start</TextLink>.
          </Text>
        </>
      )}
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title="Replace the inbound secret">
        <Stack>
          <Text>The old secret ends now: what your system signs with it is refused until it has the new one.</Text>
          <ProblemText problem={make.problem} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={() => setOpen(false)}>
              Cancel
            </Button>
            <Button color="red" onClick={go} loading={make.isRunning}>
              Replace inbound secret
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </Section>
  );
}
