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
      verb="Begin rotation"
      action={begin}
      onSend={(reason) => void begin.run(reason).then((begun) => begun && onClose())}
      onClose={onClose}
    >
      Every tenant gets a new data key, sealed by <b>{masterKey}</b>, and every secret is sealed anew. Nobody notices:
      keys, webhooks and sign-ins go on. It can be cancelled at any time.
    </AskReason>
  );
}
