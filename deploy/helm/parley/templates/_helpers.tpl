{{- define "parley.name" -}}
{{- if contains "parley" .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-parley" .Release.Name | trunc 40 | trimSuffix "-" }}{{ end -}}
{{- end }}

{{- define "parley.version" -}}
{{ .Values.version | default .Chart.AppVersion }}
{{- end }}

{{- /* A version as part of a name: 1.4.0 becomes 1-4-0. Takes a string. */ -}}
{{- define "parley.slug" -}}
{{ . | lower | replace "." "-" | replace "+" "-" | replace "_" "-" | trunc 20 | trimSuffix "-" }}
{{- end }}

{{- /* Labels that select pods. Takes a list: the root, the component. */ -}}
{{- define "parley.selector" -}}
app.kubernetes.io/name: parley
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- define "parley.labels" -}}
{{ include "parley.selector" . }}
app.kubernetes.io/version: {{ include "parley.version" (index . 0) | quote }}
app.kubernetes.io/managed-by: {{ (index . 0).Release.Service }}
helm.sh/chart: {{ printf "%s-%s" (index . 0).Chart.Name (index . 0).Chart.Version | replace "+" "_" }}
{{- end }}

{{- /* An image. Takes a list: the root, its key, the version. */ -}}
{{- define "parley.image" -}}
{{- $root := index . 0 -}}
{{- $repository := get $root.Values.image (index . 1) -}}
{{- $path := empty $root.Values.image.registry | ternary $repository (printf "%s/%s" $root.Values.image.registry $repository) -}}
{{- $digest := get $root.Values.image.digests (index . 1) -}}
{{- /* A digest is that of the version in `version`, not of a previous one. */ -}}
{{- if and $digest (eq (index . 2) (include "parley.version" $root)) }}{{ $path }}@{{ $digest }}{{ else }}{{ $path }}:{{ index . 2 }}{{ end -}}
{{- end }}

{{- /* What all pods have in common: no root, no token, nothing to write to. Takes a list: the root, the user. */ -}}
{{- define "parley.pod" -}}
serviceAccountName: {{ include "parley.name" (index . 0) }}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: {{ index . 1 }}
  runAsGroup: {{ index . 1 }}
  fsGroup: {{ index . 1 }}
  seccompProfile: { type: RuntimeDefault }
{{- with (index . 0).Values.image.pullSecrets }}
imagePullSecrets:
{{- range . }}
  - name: {{ . }}
{{- end }}
{{- end }}
{{- end }}

{{- define "parley.container" -}}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{- /* Where a pod may run. Takes a list: the root, the component, its values, labels that select its pods. */ -}}
{{- define "parley.placement" -}}
{{- $root := index . 0 -}}
{{- $values := index . 2 -}}
{{- with $values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with $values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- if $root.Values.topologySpread.enabled }}
topologySpreadConstraints:
{{- $labels := index . 3 }}
{{- range $root.Values.topologySpread.topologyKeys }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: {{ $root.Values.topologySpread.whenUnsatisfiable }}
    labelSelector: { matchLabels: {{ fromYaml $labels | toJson }} }
{{- end }}
{{- end }}
{{- end }}

{{- /* Seconds from the stop signal until a process is killed: what it may take by its settings, and a margin. */ -}}
{{- define "parley.gracePeriod" -}}
{{ add (int .Values.stop.noticeSeconds) (int .Values.stop.graceSeconds) 10 }}
{{- end }}

{{- /* The host of a URL: without the scheme, the port and the path. */ -}}
{{- define "parley.host" -}}
{{ (urlParse .).hostname }}
{{- end }}

{{- define "parley.cdnUrl" -}}
{{ .Values.urls.cdn | default (printf "%s/cdn" (trimSuffix "/" .Values.urls.api)) }}
{{- end }}
