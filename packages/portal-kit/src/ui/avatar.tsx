import { IconRobot, IconUser } from '@tabler/icons-react';
import { avatarColourOf, initialsOf } from './avatar-colours.ts';
import styles from './avatar.module.css';

interface Props {
  name: string;
  /** The colour depends on it, so that a renamed person keeps theirs. */
  id: string;
  kind?: 'person' | 'bot' | 'visitor';
  size?: number;
}

/** Decorative: the name is always written next to it. */
export function Avatar({ name, id, kind = 'person', size = 28 }: Props) {
  const { light, dark } = avatarColourOf(id);
  const initials = kind === 'bot' ? '' : initialsOf(name);
  const Icon = kind === 'bot' ? IconRobot : IconUser;
  return (
    <span
      className={styles['avatar']}
      data-kind={kind}
      aria-hidden
      style={{
        width: size,
        height: size,
        fontSize: Math.max(10, Math.round(size * 0.4)),
        background: `light-dark(${light.background}, ${dark.background})`,
        color: `light-dark(${light.text}, ${dark.text})`,
      }}
    >
      {initials || <Icon size={Math.round(size * 0.6)} />}
    </span>
  );
}
