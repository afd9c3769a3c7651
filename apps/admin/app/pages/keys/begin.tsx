import { api, call, useAction } from '@parley/portal-kit/ui';
import { AskReason } from '../../parts/ask-reason.tsx';

interface Props {
  masterKey: string;
  onClose(): void;
}

export function BeginRotation({ masterKey, onClose }: Props) {
  const begin = useAction((reason: string) => call(api.POST('/admin/key-rotations', { body: { reason } })));
  return (
    <AskReason
      title="Rotate encryption keys"
      verb="Start rotation"
      action={begin}
      onSend={(reason) => void begin.run(reason).then((begun) => begun && onClose())}
      onClose={onClose}
    >
      Every tenant gets a new data key, encrypted with <b>{masterKey}</b>, and every secret is re-encrypted. There’s no
      downtime: API keys, webhooks and sign-ins keep working. You can cancel at any time.
    </AskReason>
  );
}
