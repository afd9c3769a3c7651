import { Empty } from '@parley/portal-kit/ui';

export default function NoConversationSelected() {
  return (
    <div>
      <Empty title="Select a conversation">Its messages appear here, with the sources of the bot’s answers.</Empty>
    </div>
  );
}
