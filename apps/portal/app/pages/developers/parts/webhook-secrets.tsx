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
import { useLayoutData } from '../../../parts/me.ts';
import { Countdown } from './countdown.tsx';
import { overlaps } from './key-labels.ts';
import type { Webhook } from './webhook-labels.ts';

interface Props {
  webhook: Webhook;
  reason: string | undefined;
}

/** Rotation in steps: choose the overlap, save the new secret, deploy it and see when the old one expires. */
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
  const submit = () =>
    void rotate.run().then((done) => {
      if (!done) return;
      setSecret(done.secret);
      setOpen(false);
    });
  return (
    <Section
      title="Signing secret"
      description="We sign each request with this secret, so you can verify that it comes from us."
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
          title="Step 2: save the new secret"
          secret={secret}
          fileName={`${webhook.id}.txt`}
          onSaved={() => setSecret(undefined)}
        />
      )}
      <Text>
        Current secret: <Code>{webhook.secretHint}</Code> (start of its SHA-256 hash).
      </Text>
      {endsAt && (
        <div role="status">
          <Text fw={600}>
            Rotation in progress. The old secret expires <Countdown until={endsAt} />.
          </Text>
          <List type="ordered" mt={4}>
            <List.Item>Each request now has two signatures, one for each secret.</List.Item>
            <List.Item>Add the new secret to your server. One matching signature is enough.</List.Item>
            <List.Item>Send a test event and check that your server accepts it.</List.Item>
            <List.Item>You’re done. The old secret expires automatically.</List.Item>
          </List>
        </div>
      )}
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title="Rotate signing secret">
        <Stack>
          <Text>Step 1: choose when the old secret expires. You get the new one next and add it to your server.</Text>
          {endsAt && (
            <Text fw={600}>A rotation is already in progress. If you rotate again, its old secret expires now.</Text>
          )}
          <Radio.Group label="Old secret expires" value={overlap} onChange={setOverlap}>
            <Stack gap={6} mt={6}>
              {overlaps.map(({ value, label }) => (
                <Radio key={value} value={value} label={value === '0' ? label : `In ${label}`} />
              ))}
            </Stack>
          </Radio.Group>
          <Text role="status">
            {overlap === '0'
              ? 'Requests are signed only with the new secret. Your server rejects them until it has the new secret, and we retry them.'
              : 'Until then, each request has both signatures, so nothing is rejected while you switch.'}
          </Text>
          <ProblemText problem={rotate.problem} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={() => setOpen(false)}>
              Cancel
            </Button>
            <Button onClick={submit} loading={rotate.isRunning}>
              Rotate secret
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </Section>
  );
}

/** The secret for requests that the customer’s system sends to us. */
export function InboundSecret({ webhook, reason }: Props) {
  const { me, site } = useLayoutData();
  const [isOpen, setOpen] = useState(false);
  const [secret, setSecret] = useState<string>();
  const createSecret = useAction(() =>
    call(api.POST('/webhooks/{webhookId}/inbound-secret', { params: { path: { webhookId: webhook.id } } })),
  );
  const submit = () =>
    void createSecret.run().then((done) => {
      if (!done) return;
      setSecret(done.secret);
      setOpen(false);
    });
  const submitLabel = webhook.hasInboundSecret ? 'Replace inbound secret' : 'Create inbound secret';
  return (
    <Section
      title="Inbound requests"
      description="With an inbound secret, your system can send messages, update contacts and close conversations without an API key."
      actions={
        <WithReason reason={reason}>
          <Button
            size="xs"
            variant="default"
            disabled={!!reason}
            loading={createSecret.isRunning && !isOpen}
            onClick={webhook.hasInboundSecret ? () => setOpen(true) : submit}
          >
            {submitLabel}
          </Button>
        </WithReason>
      }
    >
      {!isOpen && <ProblemText problem={createSecret.problem} />}
      {secret && (
        <SecretPanel
          title="Inbound secret"
          secret={secret}
          fileName={`${webhook.id}-inbound.txt`}
          onSaved={() => setSecret(undefined)}
        />
      )}
      <Text>{webhook.hasInboundSecret ? 'An inbound secret is active.' : 'No inbound secret yet.'}</Text>
      {webhook.hasInboundSecret && (
        <>
          <Snippet label="Request (signed the same way as webhooks)">
            {`POST ${site.apiUrl}/webhooks/inbound
X-Service-Tenant-Id: ${me.tenantId}
X-Service-Webhook-Id: ${webhook.id}
X-Service-Timestamp: <Unix time in seconds>
X-Service-Signature: v1=<HMAC-SHA-256 of timestamp.body, in hex>
Idempotency-Key: <unique for each request>
Content-Type: application/json

{ "type": "message.send", "data": { … } }`}
          </Snippet>
          <Text>
            See <TextLink to="/developers">Quick start</TextLink> for how signatures work.
          </Text>
        </>
      )}
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title="Replace inbound secret">
        <Stack>
          <Text>
            The old secret stops working immediately. Requests from your system are rejected until it uses the new one.
          </Text>
          <ProblemText problem={createSecret.problem} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={() => setOpen(false)}>
              Cancel
            </Button>
            <Button color="red" onClick={submit} loading={createSecret.isRunning}>
              Replace inbound secret
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </Section>
  );
}
