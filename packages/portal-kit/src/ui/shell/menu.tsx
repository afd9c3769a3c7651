import { NavLink, VisuallyHidden } from '@mantine/core';
import type { ComponentType } from 'react';
import { Link, useLocation } from 'react-router';
import styles from './shell.module.css';

export interface MenuItem {
  to: string;
  label: string;
  icon: ComponentType<{ size?: number }>;
  /** Items of one group follow each other. Its name is shown above the first. */
  group?: string;
  /** What waits there. Zero is not shown. */
  count?: number;
  /** What is counted, for screen readers, such as "waiting". */
  countLabel?: string;
}

const isAt = (pathname: string, to: string) => (to === '/' ? pathname === '/' : pathname.startsWith(to));
const maxCount = 99;

/** The main menu. */
export function MainMenu({ items }: { items: readonly MenuItem[] }) {
  const { pathname } = useLocation();
  return items.map((item, n) => {
    const { to, label, icon: Icon, group } = item;
    const isCurrent = isAt(pathname, to);
    return (
      <div key={to}>
        {group && group !== items[n - 1]?.group && <p className={styles['group']}>{group}</p>}
        <NavLink
          component={Link}
          to={to}
          label={label}
          leftSection={<Icon size={18} aria-hidden />}
          rightSection={<Count {...item} />}
          active={isCurrent}
          className={styles['item']}
          {...(isCurrent && { 'aria-current': 'page' })}
        />
      </div>
    );
  });
}

const Count = ({ count = 0, countLabel }: MenuItem) =>
  count > 0 ? (
    <span className={styles['count']}>
      {count > maxCount ? `${maxCount}+` : count}
      {countLabel && <VisuallyHidden> {countLabel}</VisuallyHidden>}
    </span>
  ) : null;
