import { Table, Text } from '@mantine/core';
import { Section } from '@parley/portal-kit/ui';
import { IconCheck } from '@tabler/icons-react';
import { Fragment } from 'react';
import { roleHasPermission } from '../../../parts/rights.ts';
import { permissionGroups, roles } from './roles.ts';

export const RoleMatrix = () => (
  <Section title="Roles and permissions" description="Members with several roles have the permissions of all of them.">
    <section className="wide" tabIndex={0} aria-label="Roles and permissions table">
      <Table highlightOnHover={false} withRowBorders>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Permission</Table.Th>
            {roles.map(({ role, name, description }) => (
              <Table.Th key={role} title={description}>
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {permissionGroups.map(({ description, permissions }) => (
            <Fragment key={description}>
              <Table.Tr bg="var(--page-background)">
                <Table.Th colSpan={roles.length + 1} scope="colgroup">
                  {description}
                </Table.Th>
              </Table.Tr>
              {permissions.map(([permission, label]) => (
                <Table.Tr key={permission}>
                  <Table.Th scope="row" fw={400}>
                    {label.charAt(0).toUpperCase() + label.slice(1)}
                  </Table.Th>
                  {roles.map(({ role }) => (
                    <Table.Td key={role}>{roleHasPermission(role, permission) ? <Yes /> : <No />}</Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Fragment>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  </Section>
);

const Yes = () => (
  <Text span c="var(--good)" style={{ display: 'inline-flex', alignItems: 'center', gap: 4 }}>
    <IconCheck size={14} aria-hidden /> Yes
  </Text>
);
const No = () => (
  <Text span c="dimmed">
    No
  </Text>
);
