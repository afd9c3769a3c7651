import { DraftSaveBar, useDraft } from './draft.tsx';
import { AppearanceForm } from './appearance-form.tsx';
import { PreChatForm } from './pre-chat-form.tsx';
import { ProactiveForm } from './proactive-form.tsx';

export const meta = () => [{ title: 'Appearance · Parley' }];

export default function AppearancePage() {
  const draftEditor = useDraft();
  return (
    <>
      <AppearanceForm draftEditor={draftEditor} />
      <ProactiveForm draftEditor={draftEditor} />
      <PreChatForm draftEditor={draftEditor} />
      <DraftSaveBar draftEditor={draftEditor} />
    </>
  );
}
