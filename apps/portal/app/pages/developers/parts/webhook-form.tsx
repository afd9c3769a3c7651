import { api, call, Dialog, useAction } from '@parley/portal-kit/ui';
import type { WebhookChoices } from './webhook-choices.ts';
import { WebhookFields, type Wanted } from './webhook-fields.tsx';
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
  const create = useAction((body: Wanted) => call(api.POST('/webhooks', { body })));
  return (
    <Dialog isOpen={shared.isOpen} onClose={shared.onClose} title="Add endpoint" size="58rem">
      <WebhookFields
        choices={shared.choices}
        onClose={shared.onClose}
        verb="Add endpoint"
        isRunning={create.isRunning}
        problem={create.problem}
        onSend={(wanted) => void create.run(wanted).then((done) => done && onCreated(done))}
      />
    </Dialog>
  );
}

export function EditWebhook({ webhook, ...shared }: Shared & { webhook: Webhook }) {
  const save = useAction((body: Wanted) =>
    call(api.PATCH('/webhooks/{webhookId}', { params: { path: { webhookId: webhook.id } }, body })),
  );
  return (
    <Dialog isOpen={shared.isOpen} onClose={shared.onClose} title="Edit endpoint" size="58rem">
      <WebhookFields
        choices={shared.choices}
        onClose={shared.onClose}
        webhook={webhook}
        verb="Save changes"
        isRunning={save.isRunning}
        problem={save.problem}
        onSend={(wanted) => void save.run(wanted).then((done) => done && shared.onClose())}
      />
    </Dialog>
  );
}
