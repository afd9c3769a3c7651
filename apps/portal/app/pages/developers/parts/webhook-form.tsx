import { api, call, Dialog, useAction } from '@parley/portal-kit/ui';
import type { WebhookChoices } from './webhook-choices.ts';
import { WebhookFields, type WebhookInput } from './webhook-fields.tsx';
import type { Webhook } from './webhook-labels.ts';

interface Shared {
  isOpen: boolean;
  onClose(): void;
  choices: WebhookChoices;
}

export function CreateWebhook({
  onCreated,
  ...shared
}: Shared & { onCreated(done: { webhook: Webhook; secret: string }): void }) {
  const create = useAction((body: WebhookInput) => call(api.POST('/webhooks', { body })));
  return (
    <Dialog isOpen={shared.isOpen} onClose={shared.onClose} title="Add endpoint" size="44rem">
      <WebhookFields
        choices={shared.choices}
        onClose={shared.onClose}
        submitLabel="Add endpoint"
        isRunning={create.isRunning}
        problem={create.problem}
        onSend={(input) => void create.run(input).then((done) => done && onCreated(done))}
      />
    </Dialog>
  );
}

export function EditWebhook({ webhook, ...shared }: Shared & { webhook: Webhook }) {
  const save = useAction((body: WebhookInput) =>
    call(api.PATCH('/webhooks/{webhookId}', { params: { path: { webhookId: webhook.id } }, body })),
  );
  return (
    <Dialog isOpen={shared.isOpen} onClose={shared.onClose} title="Edit endpoint" size="44rem">
      <WebhookFields
        choices={shared.choices}
        onClose={shared.onClose}
        webhook={webhook}
        submitLabel="Save changes"
        isRunning={save.isRunning}
        problem={save.problem}
        onSend={(input) => void save.run(input).then((done) => done && shared.onClose())}
      />
    </Dialog>
  );
}
