import { Group, Modal, type ModalRootProps } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  isOpen: boolean;
  title: string;
  size?: ModalRootProps['size'];
  /** Shown above another dialog. */
  isNested?: boolean;
  children: ReactNode;
  onClose(): void;
}

/** Mantine's dialog, without a second banner landmark and with a labelled close button. */
export const Dialog = ({ isOpen, title, size = 'md', isNested = false, children, onClose }: Props) => (
  <Modal.Root opened={isOpen} onClose={onClose} size={size} zIndex={isNested ? 400 : 200}>
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
