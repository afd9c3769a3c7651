{{- /* What API, worker and jobs share: settings, and secrets as files. */ -}}

{{- /* The secrets of the server: the key in .Values.secrets, and the setting. */ -}}
{{- define "parley.serverSecrets" -}}
databaseUrl: DATABASE_URL
valkeyUrl: VALKEY_URL
masterKeys: MASTER_KEYS
metricsToken: METRICS_TOKEN
smtpUrl: SMTP_URL
models: MODELS
embeddings: EMBEDDINGS
oidcClients: OIDC_CLIENTS
captcha: CAPTCHA
restateIngressToken: RESTATE_INGRESS_TOKEN
restateAdminToken: RESTATE_ADMIN_TOKEN
valkeySentinelPassword: VALKEY_SENTINEL_PASSWORD
awsSecretAccessKey: AWS_SECRET_ACCESS_KEY
vaultToken: VAULT_TOKEN
egressCa: EGRESS_CA
{{- end }}

{{- /* Settings of API and worker. Takes a list: the root, the version. */ -}}
{{- define "parley.serverEnv" -}}
{{- $root := index . 0 -}}
{{- $values := $root.Values -}}
{{- $own := list -}}
- { name: RESTATE_INGRESS_URL, value: {{ required "restate.ingressUrl is missing, such as http://restate.restate.svc:8080" $values.restate.ingressUrl | quote }} }
- { name: RESTATE_ADMIN_URL, value: {{ required "restate.adminUrl is missing, such as http://restate.restate.svc:9070" $values.restate.adminUrl | quote }} }
- { name: RESTATE_IDENTITY_KEYS, value: {{ join "," (required "restate.identityKeys is missing: the public keys of your Restate" ($values.restate.identityKeys | default nil)) | quote }} }
- { name: PUBLIC_URL, value: {{ required "urls.api is missing, such as https://api.chat.example.com" $values.urls.api | quote }} }
- { name: CDN_URL, value: {{ include "parley.cdnUrl" $root | quote }} }
- { name: PORTAL_URL, value: {{ $values.urls.portal | quote }} }
- { name: ADMIN_URL, value: {{ $values.urls.admin | quote }} }
- { name: TRUSTED_PROXIES, value: {{ join "," (required "trustedProxies is missing: the networks of your ingress controller and of the pods" ($values.trustedProxies | default nil)) | quote }} }
- { name: STOP_NOTICE_SECONDS, value: {{ int $values.stop.noticeSeconds | quote }} }
- { name: STOP_GRACE_SECONDS, value: {{ int $values.stop.graceSeconds | quote }} }
{{- if not $values.secrets.oidcClients.name }}
{{- /* The portals sign in at the API like any other application. They have no client secret. */}}
{{- $clients := list }}
{{- range list (dict "pool" "customer" "id" "portal" "url" $values.urls.portal) (dict "pool" "admin" "id" "admin" "url" $values.urls.admin) }}
{{- if .url }}
{{- $url := trimSuffix "/" .url }}
{{- $clients = append $clients (dict "pool" .pool "clientId" .id "redirectUris" (list (printf "%s/api/auth/callback" $url)) "postLogoutRedirectUris" (list (printf "%s/sign-in" $url))) }}
{{- end }}
{{- end }}
- { name: OIDC_CLIENTS, value: {{ toJson $clients | quote }} }
{{- end }}
{{- if and $values.localEmbeddings (not $values.secrets.embeddings.name) }}
- { name: EMBEDDINGS, value: {{ dict "provider" "local" "path" "/app/models/all-MiniLM-L6-v2" "languages" (list "en") "confidentAt" 0.65 | toJson | quote }} }
{{- end }}
{{- range $key, $setting := include "parley.serverSecrets" $root | fromYaml }}
{{- if (get $values.secrets $key).name }}
- { name: {{ $setting }}_FILE, value: /run/secrets/{{ lower $setting }} }
{{- end }}
{{- end }}
{{- range $name, $value := $values.settings }}
- { name: {{ $name }}, value: {{ if kindIs "float64" $value }}{{ if eq (float64 (int64 $value)) $value }}{{ int64 $value | quote }}{{ else }}{{ $value | quote }}{{ end }}{{ else }}{{ $value | quote }}{{ end }} }
{{- end }}
{{- end }}

{{- define "parley.serverVolumes" -}}
{{- $root := . -}}
{{- range $key := list "databaseUrl" "valkeyUrl" "masterKeys" "metricsToken" }}
{{- $_ := required (printf "secrets.%s.name is missing: the name of the Secret that has it" $key) (get $root.Values.secrets $key).name }}
{{- end -}}
- name: tmp
  emptyDir: { sizeLimit: 64Mi }
- name: secrets
  projected:
    defaultMode: 0440
    sources:
{{- range $key, $setting := include "parley.serverSecrets" $root | fromYaml }}
{{- $secret := get $root.Values.secrets $key }}
{{- if $secret.name }}
      - secret: { name: {{ $secret.name }}, items: [{ key: {{ $secret.key }}, path: {{ lower $setting }} }] }
{{- end }}
{{- end }}
{{- end }}

{{- define "parley.serverMounts" -}}
- { name: tmp, mountPath: /tmp }
- { name: secrets, mountPath: /run/secrets, readOnly: true }
{{- end }}

{{- /* Waits until the migrations of this version have been applied, by whatever applies them. So the order in which
       Kubernetes gets the objects does not matter, and no hooks are needed. Takes a list: the root, the version. */ -}}
{{- define "parley.waitForSchema" -}}
{{- $root := index . 0 -}}
- name: wait-for-schema
  image: {{ include "parley.image" (list $root "server" (index . 1)) }}
  args: [migrate, --wait]
  {{- include "parley.container" $root | nindent 2 }}
  resources: {{ toYaml $root.Values.jobs.resources | nindent 4 }}
  env:
    - { name: DATABASE_URL_FILE, value: /run/secrets/database_url }
  volumeMounts: {{ include "parley.serverMounts" $root | nindent 4 }}
{{- end }}
