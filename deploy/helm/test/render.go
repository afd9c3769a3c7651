// Renders the chart as `helm template` does, for machines without Helm: Go's templates with Debian's sprig. No hooks, no
// subcharts, no `lookup`: the chart uses none of them.
//
//	go run render.go [-release parley] [-namespace parley] [-kube 1.31] [-api GROUP/VERSION/KIND]… CHART [VALUES.yaml]…
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	yaml2 "gopkg.in/yaml.v2" // as Helm writes: two spaces, lists not indented
	"gopkg.in/yaml.v3"
)

type object = map[string]interface{}
type list []string

func (l *list) String() string     { return strings.Join(*l, ",") }
func (l *list) Set(s string) error { *l = append(*l, s); return nil }

// Has is what templates ask for: `.Capabilities.APIVersions.Has "policy/v1"`.
func (l list) Has(name string) bool {
	for _, one := range l {
		if one == name {
			return true
		}
	}
	return false
}

// APIs that came after 1.20, the oldest version that the chart knows, by the minor version that brought them.
var since = map[int]list{21: {"policy/v1", "batch/v1/CronJob"}, 23: {"autoscaling/v2"}}

func main() {
	release := flag.String("release", "parley", "")
	namespace := flag.String("namespace", "parley", "")
	kube := flag.String("kube", "1.31", "")
	var apis list
	flag.Var(&apis, "api", "")
	flag.Parse()
	chart := flag.Arg(0)

	values := readYaml(filepath.Join(chart, "values.yaml"))
	for _, file := range flag.Args()[1:] {
		merge(values, readYaml(file))
	}
	minor, err := strconv.Atoi(strings.SplitN(*kube, ".", 3)[1])
	check(err)
	for first, names := range since {
		if minor >= first {
			apis = append(apis, names...)
		}
	}
	// Keys begin with capital letters here, and small ones in the file.
	description := object{}
	for key, value := range readYaml(filepath.Join(chart, "Chart.yaml")) {
		description[strings.ToUpper(key[:1])+key[1:]] = value
	}
	root := template.New("chart").Option("missingkey=zero")
	root.Funcs(sprig.TxtFuncMap()).Funcs(helmFunctions(root))
	var names []string
	check(filepath.WalkDir(filepath.Join(chart, "templates"), func(path string, entry fs.DirEntry, err error) error {
		check(err)
		if entry.IsDir() || strings.HasSuffix(path, ".txt") {
			return nil
		}
		source, err := os.ReadFile(path)
		check(err)
		name, err := filepath.Rel(chart, path)
		check(err)
		_, err = root.New(name).Parse(string(source))
		check(err)
		if !strings.HasPrefix(filepath.Base(path), "_") {
			names = append(names, name)
		}
		return nil
	}))
	sort.Strings(names)
	for _, name := range names {
		var out bytes.Buffer
		check(root.ExecuteTemplate(&out, name, object{
			"Values":       values,
			"Chart":        description,
			"Release":      object{"Name": *release, "Namespace": *namespace, "Service": "Helm", "IsInstall": true, "Revision": 1},
			"Capabilities": object{"APIVersions": apis, "KubeVersion": object{"Version": "v" + *kube + ".0", "Major": "1", "Minor": strconv.Itoa(minor)}},
			"Template":     object{"Name": name, "BasePath": "templates"},
		}))
		// `missingkey=zero` prints what is missing in a map of any; Helm prints nothing.
		text := strings.ReplaceAll(out.String(), "<no value>", "")
		for _, document := range strings.Split("\n"+text, "\n---") {
			if strings.TrimSpace(document) != "" {
				fmt.Printf("---\n# Source: %s\n%s\n", name, strings.TrimSpace(document))
			}
		}
	}
}

func helmFunctions(root *template.Template) template.FuncMap {
	include := func(name string, data interface{}) (string, error) {
		var out bytes.Buffer
		err := root.ExecuteTemplate(&out, name, data)
		return out.String(), err
	}
	return template.FuncMap{
		"include": include,
		"tpl": func(source string, data interface{}) (string, error) {
			one, err := template.Must(root.Clone()).New("tpl").Parse(source)
			if err != nil {
				return "", err
			}
			var out bytes.Buffer
			err = one.Execute(&out, data)
			return out.String(), err
		},
		"toYaml": func(value interface{}) (string, error) {
			text, err := yaml2.Marshal(value)
			return strings.TrimSuffix(string(text), "\n"), err
		},
		"fromYaml": func(text string) (object, error) {
			out := object{}
			return out, yaml.Unmarshal([]byte(text), &out)
		},
		"required": func(message string, value interface{}) (interface{}, error) {
			if value == nil || value == "" {
				return nil, errors.New(message)
			}
			return value, nil
		},
		"fail": func(message string) (string, error) { return "", errors.New(message) },
	}
}

// Numbers become floating point numbers, as in Helm, which reads YAML through JSON.
func readYaml(file string) object {
	source, err := os.ReadFile(file)
	check(err)
	var parsed interface{}
	check(yaml.Unmarshal(source, &parsed))
	text, err := json.Marshal(parsed)
	check(err)
	out := object{}
	check(json.Unmarshal(text, &out))
	return out
}

func merge(into, from object) {
	for key, value := range from {
		a, isObject := into[key].(object)
		b, alsoObject := value.(object)
		switch {
		case isObject && alsoObject:
			merge(a, b)
		case value == nil: // as in Helm, null removes a default
			delete(into, key)
		default:
			into[key] = value
		}
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
