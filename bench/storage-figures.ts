/** The capacity model finds them by their names. */
export const storageFigures = {
  message: 'a message and its reply, tables and indexes',
  messageEvents: 'of it, events, which are dropped after 30 days',
  messageLeft: 'of it, left after the conversation has expired and all partitions were dropped',
  messageWal: 'a message and its reply, WAL',
  restate: 'disk of Restate after all messages',
  messageValkey: 'a message and its reply, memory of Valkey',
  delivery: 'a delivery, tables and indexes; dropped after 30 days',
  deliveryWal: 'a delivery, WAL',
  deliveryWorker: 'a delivery, CPU time of the worker',
  deliveryPostgres: 'a delivery, CPU time of PostgreSQL',
} as const;
