import { Loader, Modal, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { useNavigate } from 'react-router';
import styles from './command-palette.module.css';
import { groupsOf, matchingItems, type PaletteItem } from './palette-items.ts';
import { useSearch, type PaletteSearch } from './use-search.ts';

interface Props {
  isOpen: boolean;
  onClose(): void;
  /** Pages and actions. */
  items: readonly PaletteItem[];
  search?: PaletteSearch | undefined;
  /** What can be searched, such as "Search pages, bots and conversations". */
  label: string;
}

/** Opens any page and starts any action from the keyboard. */
export const CommandPalette = ({ isOpen, onClose, ...rest }: Props) => (
  <Modal.Root
    opened={isOpen}
    onClose={onClose}
    size={600}
    yOffset="12vh"
    zIndex={300}
    transitionProps={{ duration: 0 }}
  >
    <Modal.Overlay />
    <Modal.Content aria-label="Command palette">
      <Palette onClose={onClose} {...rest} />
    </Modal.Content>
  </Modal.Root>
);

/** A combobox with its list always open. The input keeps the focus; `aria-activedescendant` names the selected item. */
function Palette({ items, search, label, onClose }: Omit<Props, 'isOpen'>) {
  const [query, setQuery] = useState('');
  const [selected, setSelected] = useState(0);
  const navigate = useNavigate();
  const baseId = useId();
  const input = useRef<HTMLInputElement>(null);
  // Sooner than the dialog does, so that what is typed right after Ctrl+K is not lost.
  useEffect(() => input.current?.focus(), []);
  const { found, isSearching } = useSearch(query, search);
  const groups = groupsOf([...matchingItems(items, query), ...found]);
  const shown = groups.flatMap(([, members]) => members);
  const current = shown[Math.min(selected, shown.length - 1)];
  const optionId = (item: PaletteItem) => `${baseId}-${item.id}`;

  const choose = (item: PaletteItem | undefined) => {
    if (!item) return;
    onClose();
    if (item.to !== undefined) void navigate(item.to);
    else item.run?.();
  };
  const select = (n: number) => {
    const next = (n + shown.length) % Math.max(1, shown.length);
    setSelected(next);
    const item = shown[next];
    if (item) document.getElementById(optionId(item))?.scrollIntoView({ block: 'nearest' });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const at = Math.min(selected, shown.length - 1);
    if (event.key === 'ArrowDown') select(at + 1);
    else if (event.key === 'ArrowUp') select(at - 1);
    else if (event.key === 'Enter') choose(current);
    else return;
    event.preventDefault();
  };

  return (
    <>
      <TextInput
        ref={input}
        data-autofocus
        variant="unstyled"
        size="lg"
        px="md"
        placeholder={`${label}…`}
        aria-label={label}
        role="combobox"
        aria-expanded
        aria-controls={`${baseId}-list`}
        aria-autocomplete="list"
        {...(current && { 'aria-activedescendant': optionId(current) })}
        autoComplete="off"
        leftSection={isSearching ? <Loader size={18} /> : <IconSearch size={18} aria-hidden />}
        leftSectionPointerEvents="none"
        value={query}
        onChange={(event) => {
          setQuery(event.currentTarget.value);
          setSelected(0);
        }}
        onKeyDown={onKeyDown}
      />
      {/* oxlint-disable-next-line jsx-a11y/interactive-supports-focus -- the input keeps the focus */}
      <div id={`${baseId}-list`} role="listbox" aria-label="Results" className={styles['list']}>
        {groups.map(([group, members]) => (
          // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a fieldset is not allowed in a list box
          <div key={group} role="group" aria-label={group}>
            <p className={styles['group']} aria-hidden>
              {group}
            </p>
            {members.map((item) => (
              <Option key={item.id} id={optionId(item)} item={item} isSelected={item === current} onChoose={choose} />
            ))}
          </div>
        ))}
      </div>
      <p role="status" className={styles['status']}>
        {shown.length === 0 && (isSearching ? 'Searching…' : `Nothing found for “${query.trim()}”.`)}
      </p>
    </>
  );
}

interface OptionProps {
  id: string;
  item: PaletteItem;
  isSelected: boolean;
  onChoose(item: PaletteItem): void;
}

const Option = ({ id, item, isSelected, onChoose }: OptionProps) => (
  // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the input handles the keys
  <div
    id={id}
    role="option"
    aria-selected={isSelected}
    className={styles['option']}
    onMouseDown={(event) => event.preventDefault()}
    onClick={() => onChoose(item)}
  >
    {item.icon}
    <span className={styles['label']}>{item.label}</span>
    {item.detail && <span className={styles['detail']}>{item.detail}</span>}
  </div>
);
