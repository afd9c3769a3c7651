import type { ReactNode } from 'react';
import type { PoolName } from './account-routes.ts';
import style from './account-page.module.css';
import { Mark } from './mark.tsx';

interface Props {
  pool?: PoolName;
  title: string;
  description?: ReactNode;
  /** The line below the form, such as a link to sign up. */
  end?: ReactNode;
  /** For pages with more than one form. */
  isWide?: boolean;
  children: ReactNode;
}

/** The page around sign-in, sign-up and everything else before the portal itself. It looks like the API's hosted pages. */
export const AccountPage = ({ pool = 'customer', title, description, end, isWide = false, children }: Props) => (
  <div className={style['page']} data-pool={pool} {...(isWide && { 'data-wide': true })}>
    <header className={style['head']}>
      <p className={style['brand']}>
        <Mark size={28} />
        <span>Parley {pool === 'admin' && <b>Admin</b>}</span>
      </p>
    </header>
    <main className={style['card']} id="content">
      <h1 className={style['title']}>{title}</h1>
      {description && <div className={style['lead']}>{description}</div>}
      <div className={style['body']}>{children}</div>
      {end && <div className={style['end']}>{end}</div>}
    </main>
  </div>
);
