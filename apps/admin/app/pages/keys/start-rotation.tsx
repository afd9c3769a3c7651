import { api, call, useAction } from '@parley/portal-kit/ui';
import { ConfirmWithReason } from '../../parts/confirm-with-reason.tsx';

interface Props {
  masterKey: string;
  onClose(): void;
}

export function StartRotation({ masterKey, onClose }: Props) {
  const start = useAction((reason: string) => call(api.POST('/admin/key-rotations', { body: { reason } })));
  return (
    <ConfirmWithReason
      title="Rotate encryption keys"
      confirmLabel="Start rotation"
      action={start}
      onSend={(reason) => void start.run(reason).then((started) => started && onClose())}
      onClose={onClose}
    >
      Every tenant gets a new data key, encrypted with <b>{masterKey}</b>, and every secret is re-encrypted. There’s no
      downtime: API keys, webhooks and sign-ins keep working. You can cancel at any time.
    </ConfirmWithReason>
  );
}
