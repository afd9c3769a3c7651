# Sourced by machine.sh: the addresses of the drill. Public ones, so that the guard of outgoing requests has no exceptions;
# they lead nowhere, because the machine has no route.
export MACHINE_IP=1.2.3.4
export OUTSIDE_IP=1.2.3.5
export VISITORS=10.0.0.0/8
export DRILL_DOMAIN=chat.example.com
export TENANT_DOMAIN=shop.example
