import { Empty } from '@parley/portal-kit/ui';

export default function NoConversationSelected() {
  return (
    <div>
      <Empty title="Select a conversation" drawing="messages">
        Everything that happened in it appears here. Press J to open the first one.
      </Empty>
    </div>
  );
}
