import { Empty } from '@parley/portal-kit/ui';

export default function NoneChosen() {
  return (
    <div>
      <Empty title="Choose a conversation">
        What was said in it appears here, with where the bot found its answers.
      </Empty>
    </div>
  );
}
