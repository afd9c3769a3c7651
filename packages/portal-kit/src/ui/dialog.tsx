import { Group, Modal, type ModalRootProps } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  isOpen: boolean;
  title: string;
  size?: ModalRootProps['size'];
  /** Above another dialog. */
  isAbove?: boolean;
  children: ReactNode;
  onClose(): void;
}

/** As the library's own, but its head is no second banner of the page, and its cross has a name. */
export const Dialog = ({ isOpen, title, size = 'md', isAbove = false, children, onClose }: Props) => (
  <Modal.Root opened={isOpen} onClose={onClose} size={size} zIndex={isAbove ? 400 : 200}>
    <Modal.Overlay />
    <Modal.Content>
      <Group
        justify="space-between"
        wrap="nowrap"
        px="md"
        pt="md"
        pb="xs"
        pos="sticky"
        top={0}
        bg="var(--mantine-color-body)"
        style={{ zIndex: 10 }}
      >
        <Modal.Title fw={600}>{title}</Modal.Title>
        <Modal.CloseButton aria-label="Close" />
      </Group>
      <Modal.Body>{children}</Modal.Body>
    </Modal.Content>
  </Modal.Root>
);
